/** Checks rows of datasets: what a trainer could not use is named before a job is stored. */
import type { StoredDataset } from '../stored-job.ts';

type Row = Readonly<Record<string, unknown>>;

export interface RowProblem {
  readonly column: string;
  readonly message: string;
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** Sets of columns, each of which is enough to train on a row. */
const FORMS: readonly (readonly string[])[] = [['messages'], ['prompt', 'completion'], ['text']];
const TRAJECTORY_FORMS: readonly (readonly string[])[] = [['messages'], ['steps'], ['trajectory']];

/** @returns why a dataset with these columns cannot be used, or undefined */
export function findColumnProblem(
  role: StoredDataset['role'],
  columns: readonly string[],
): string | undefined {
  const forms = { train: FORMS, trajectories: TRAJECTORY_FORMS, eval: [...FORMS, ...TRAJECTORY_FORMS] }[role];
  if (forms.some((form) => form.every((column) => columns.includes(column)))) return undefined;
  const wanted = forms.map((form) => form.map((column) => `"${column}"`).join(' and ')).join(', or ');
  const found = columns.map((column) => `"${column}"`).join(', ') || 'none';
  return `needs the columns ${wanted}; it has ${found}`;
}

export const hasMessages = (role: StoredDataset['role'], columns: readonly string[]) =>
  role === 'trajectories' || ['messages', 'steps', 'trajectory'].some((column) => columns.includes(column));

/** @returns what is wrong with a row, or undefined */
export function findRowProblem(role: StoredDataset['role'], row: Row): RowProblem | undefined {
  const isDocument = role === 'eval' && (isGiven(row['trajectory']) || isGiven(row['steps']));
  if (role === 'trajectories' || isDocument) return findTrajectoryProblem(row);
  if (isGiven(row['messages'])) return findMessagesProblem('messages', row['messages']);
  if (isGiven(row['prompt']) || isGiven(row['completion']))
    return findTextProblem(row, 'prompt') ?? findTextProblem(row, 'completion');
  return findTextProblem(row, 'text');
}

/** Files with columns have null where a row lacks a value. */
const isGiven = (value: unknown) => value !== null && value !== undefined;

function findTrajectoryProblem(row: Row): RowProblem | undefined {
  if (!isGiven(row['trajectory'])) return findDocumentProblem(row, '');
  const document = parseCell(row['trajectory']);
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return { column: 'trajectory', message: 'must be a JSON object' };
  return findDocumentProblem(document as Row, 'trajectory.');
}

function findDocumentProblem(document: Row, prefix: string): RowProblem | undefined {
  if (isGiven(document['messages'])) return findMessagesProblem(`${prefix}messages`, document['messages']);
  const steps = parseCell(document['steps']);
  if (!Array.isArray(steps) || steps.length === 0)
    return { column: `${prefix}steps`, message: 'must be a list of steps, or there must be "messages"' };
  const isAgent = (step: unknown) => (step as Row | null)?.['source'] === 'agent';
  return steps.some(isAgent)
    ? undefined
    : { column: `${prefix}steps`, message: 'has no step of an agent to learn from' };
}

function findTextProblem(row: Row, column: string): RowProblem | undefined {
  const value = row[column];
  if (typeof value === 'string' && value !== '') return undefined;
  if (Array.isArray(value)) return findMessageListProblem(column, value);
  return { column, message: 'must be a text that is not empty' };
}

function findMessagesProblem(column: string, given: unknown): RowProblem | undefined {
  const messages = parseCell(given);
  if (!Array.isArray(messages) || messages.length === 0)
    return { column, message: 'must be a list of messages' };
  const problem = findMessageListProblem(column, messages);
  if (problem) return problem;
  const isTrained = (message: Row) => message['role'] === 'assistant' && (message['weight'] ?? 1) !== 0;
  return messages.some((message) => isTrained(message as Row))
    ? undefined
    : { column, message: 'has no message of an assistant to learn from' };
}

function findMessageListProblem(column: string, messages: readonly unknown[]): RowProblem | undefined {
  for (const [index, given] of messages.entries()) {
    const message = given as Row | null;
    const at = `${column}[${index}]`;
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      return { column: at, message: 'must be an object' };
    const { role, content, weight } = message;
    if (typeof role !== 'string' || !ROLES.has(role))
      return { column: `${at}.role`, message: `must be one of ${[...ROLES].join(', ')}` };
    if (isGiven(weight) && weight !== 0 && weight !== 1)
      return { column: `${at}.weight`, message: 'must be 0 or 1' };
    if (!isGiven(content) && !(role === 'assistant' && isGiven(message['tool_calls'])))
      return { column: `${at}.content`, message: 'must be given' };
    if (isGiven(content) && typeof content !== 'string' && !Array.isArray(content))
      return { column: `${at}.content`, message: 'must be a text or a list of parts' };
  }
  return undefined;
}

/** A cell of a CSV file holds JSON as text. */
function parseCell(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
