/** Fills the templates of an evaluated dataset in, row by row. */

import { BoundError } from '../../platform/analytics/data-file.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, type Issue, invalidValue, invalidValues } from '../../platform/errors.ts';
import { toStorableText } from '../../platform/storable-text.ts';
import {
  type DatasetRow,
  type DatasetStore,
  type FoundSplit,
  findSplit,
  readSplit,
} from '../../registry/service.ts';
import { type DatasetRequest, isComparing, type ScorerRequest } from './schema.ts';

/** One row of the dataset, as items read it. */
export interface EvaluatedRow {
  readonly position: number;
  readonly input: string;
  readonly expected: string | null;
  readonly system: string | null;
  readonly files: Readonly<Record<string, string>> | null;
  readonly columns: Readonly<Record<string, string>> | null;
}

/** Columns that rewards are computed from. */
const REWARD_COLUMNS = ['expected_output', 'reward'];
const MAX_ROWS = 10_000;
/** Bounds of the filled-in texts of one row and of all rows together, which are in memory until they are stored. */
const MAX_ROW_CHARACTERS = 1_000_000;
const MAX_ALL_CHARACTERS = 64_000_000;
/** Names are trimmed after the match: blanks around them in the pattern would take cubic time for a template of blanks. */
const VARIABLE = /\{\{([^{}]+)\}\}/g;

/** @throws {ApiError} `validation_error` that names every unknown column */
export async function findDataset(
  db: Db,
  scope: OrgScope,
  dataset: DatasetRequest,
  scorers: readonly ScorerRequest[],
): Promise<FoundSplit> {
  const found = await findSplit(db, scope, dataset, ['body', 'dataset', 'split']).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(['body', 'dataset', 'name'], `${error.message} Publish it, or name another version.`);
  });
  if (found.rowCount === 0) throw invalidValue(['body', 'dataset'], 'has no rows');
  if (found.rowCount > MAX_ROWS)
    throw invalidValue(
      ['body', 'dataset'],
      `has ${found.rowCount} rows; at most ${MAX_ROWS} are evaluated at once`,
    );
  const issues = findUnknownColumns(found, dataset, scorers);
  if (issues.length > 0) throw invalidValues(issues);
  return found;
}

/**
 * Reads all rows and fills in the templates.
 * @throws {ApiError} `validation_error` for rows that are too large
 */
export async function readEvaluatedRows(
  store: DatasetStore,
  found: FoundSplit,
  { dataset, scorers, by }: { dataset: DatasetRequest; scorers: readonly ScorerRequest[]; by: string },
  signal: AbortSignal,
): Promise<EvaluatedRow[]> {
  const names = new Set(found.columns.map(({ name }) => name));
  const scored = scorers.flatMap((scorer) =>
    isComparing(scorer) ? (scorer.column ?? []) : REWARD_COLUMNS.filter((name) => names.has(name)),
  );
  const rows: EvaluatedRow[] = [];
  let left = MAX_ALL_CHARACTERS;
  try {
    for await (const page of readSplit(store, found, by, signal)) {
      for (const row of page) {
        const limit = new CharacterLimit(Math.min(left, MAX_ROW_CHARACTERS), rows.length);
        rows.push({ position: rows.length, ...fillRow(dataset, scored, row, names, limit) });
        left -= limit.used;
      }
    }
  } catch (error) {
    if (error instanceof BoundError)
      throw invalidValue(['body', 'dataset'], `has a row that ${error.message}`);
    throw error;
  }
  return rows;
}

function fillRow(
  { input, expected, system, files }: DatasetRequest,
  scored: readonly string[],
  row: DatasetRow,
  names: ReadonlySet<string>,
  limit: CharacterLimit,
): Omit<EvaluatedRow, 'position'> {
  const fill = (template: string) => toStorableText(fillTemplate(template, row, names, limit));
  const optional = (template: string | null | undefined) =>
    template === null || template === undefined ? null : fill(template);
  return {
    input: fill(input),
    expected: optional(expected),
    system: optional(system),
    files: files ? mapValues(files, fill) : null,
    columns:
      scored.length > 0
        ? Object.fromEntries(scored.map((name) => [name, toStorableText(limit.count(textOf(row[name])))]))
        : null,
  };
}

/** Counts characters before they are put together: a template of 100,000 characters can name a large column 20,000 times. */
class CharacterLimit {
  readonly #max: number;
  readonly #position: number;
  used = 0;

  constructor(max: number, position: number) {
    this.#max = max;
    this.#position = position;
  }

  count(text: string): string {
    this.used += text.length;
    if (this.used <= this.#max) return text;
    const why =
      this.#max < MAX_ROW_CHARACTERS
        ? `has rows that fill in more than ${MAX_ALL_CHARACTERS} characters; evaluate a part of it`
        : `fills in more than ${MAX_ROW_CHARACTERS} characters for row ${this.#position}; shorten its columns or the templates`;
    throw invalidValue(['body', 'dataset'], why);
  }
}

function findUnknownColumns(
  { columns }: FoundSplit,
  { input, expected, system, files }: DatasetRequest,
  scorers: readonly ScorerRequest[],
): Issue[] {
  const names = new Set(columns.map(({ name }) => name));
  const issues: Issue[] = [];
  const known = [...names].map((name) => `"${name}"`).join(', ');
  const refuse = (loc: Issue['loc'], name: string) =>
    issues.push({ loc, msg: `"${name}" is not a column; there are ${known}`, type: 'invalid_value' });
  const check = (template: string | null | undefined, loc: Issue['loc']) => {
    for (const name of namesIn(template ?? '', names)) if (!names.has(name)) refuse(loc, name);
  };
  check(input, ['body', 'dataset', 'input']);
  check(expected, ['body', 'dataset', 'expected']);
  check(system, ['body', 'dataset', 'system']);
  for (const [path, template] of Object.entries(files ?? {}))
    check(template, ['body', 'dataset', 'files', path]);
  for (const [index, scorer] of scorers.entries())
    if (isComparing(scorer) && scorer.column && !names.has(scorer.column))
      refuse(['body', 'scorers', index, 'column'], scorer.column);
  return issues;
}

/** A text without braces names a column. */
function namesIn(template: string, names: ReadonlySet<string>): string[] {
  if (template === '' || names.has(template)) return [];
  const variables = [...template.matchAll(VARIABLE)].map(([, name = '']) => name.trim());
  return variables.length > 0 ? variables : [template];
}

function fillTemplate(
  template: string,
  row: DatasetRow,
  names: ReadonlySet<string>,
  limit: CharacterLimit,
): string {
  if (names.has(template)) return limit.count(textOf(row[template]));
  limit.count(template);
  return template.replaceAll(VARIABLE, (_, name: string) => limit.count(textOf(row[name.trim()])));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const mapValues = <To>(values: Readonly<Record<string, string>>, change: (value: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
