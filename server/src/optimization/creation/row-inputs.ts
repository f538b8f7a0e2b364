/** Turns rows of a dataset into examples: the text that the model gets, and the columns that rewards are computed from. */
import { invalidValue } from '../../platform/errors.ts';
import type { RewardRow } from '../../platform/rewards/rewards.ts';
import type { RowSource } from '../stored-job.ts';

/** The first of these that a row has is the user's message. */
const INPUT_COLUMNS = ['input', 'prompt', 'question', 'messages'];
const REWARD_COLUMNS = ['expected_output', 'reward'];

type Location = readonly (string | number)[];

/**
 * @returns the name in the examples of each column.
 * @throws {ApiError} `validation_error` for a mapping of unknown columns
 */
export function toColumnNames(
  columns: readonly string[],
  mapping: readonly string[],
): ReadonlyMap<string, string> {
  const names = new Map(columns.map((name) => [name, name]));
  for (const [index, entry] of mapping.entries()) {
    const [from = '', to = from] = entry.split(':', 2);
    const loc = ['body', 'config', 'dataset_input_mapping', index];
    if (!columns.includes(from))
      throw invalidValue(loc, `"${from}" is not a column; there are ${listed(columns)}`);
    if (to === '') throw invalidValue(loc, `"${entry}" has no new name after the colon`);
    names.set(from, to);
  }
  return names;
}

/** @throws {ApiError} `validation_error` that names the columns which there are */
export function requireInputColumn(names: ReadonlyMap<string, string>, loc: Location): void {
  const renamed = [...names.values()];
  if (INPUT_COLUMNS.some((name) => renamed.includes(name))) return;
  throw invalidValue(
    loc,
    `has none of the columns ${listed(INPUT_COLUMNS)}; it has ${listed(renamed)}. Rename one with config.dataset_input_mapping`,
  );
}

const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** A renamed column takes the place of one that had the name before. */
export function renameColumns(row: RewardRow, names: ReadonlyMap<string, string>): RewardRow {
  const entries = Object.entries(row).map(([from, value]) => ({ from, to: names.get(from) ?? from, value }));
  const inOrder = [
    ...entries.filter(({ from, to }) => from === to),
    ...entries.filter(({ from, to }) => from !== to),
  ];
  return Object.fromEntries(inOrder.map(({ to, value }) => [to, value]));
}

/**
 * @param row with its columns renamed.
 * @returns undefined for a row without an input
 */
export function toRowSource(row: RewardRow): RowSource | undefined {
  const inputs = INPUT_COLUMNS.map((name) =>
    name === 'messages' ? toConversation(row[name]) : toText(row[name]),
  );
  const input = inputs.find((text) => text.trim() !== '');
  if (input === undefined) return undefined;
  const columns = REWARD_COLUMNS.flatMap((name) => {
    const given = row[name];
    return given === null || given === undefined ? [] : [[name, toText(given)] as const];
  });
  return { input, columns: Object.fromEntries(columns) };
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One user message is its text; a conversation is a line for each message. The candidate takes the place of system messages. */
function toConversation(value: unknown): string {
  const messages = (Array.isArray(value) ? value : []).flatMap((message: unknown) => {
    const { role, content } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
    return role === 'system' || role === 'developer'
      ? []
      : [{ role: toText(role), content: toText(content) }];
  });
  const [first] = messages;
  if (messages.length === 1 && first) return first.content;
  return messages.length === 0
    ? toText(value)
    : messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
}
