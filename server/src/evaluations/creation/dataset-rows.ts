/** Fills the templates of an evaluated dataset in, row by row. */

import { BoundError } from '../../platform/analytics/data-file.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, type Issue, invalidValue } from '../../platform/errors.ts';
import { toStorableText } from '../../platform/storable-text.ts';
import {
  type DatasetRow,
  type DatasetStore,
  type FoundSplit,
  findSplit,
  readSplit,
} from '../../registry/service.ts';
import type { DatasetRequest, ScorerRequest } from './schema.ts';

/** One row of the dataset, as items read it. */
export interface EvaluatedRow {
  readonly position: number;
  readonly input: string;
  readonly expected: string | null;
  readonly system: string | null;
  readonly files: Readonly<Record<string, string>> | null;
  readonly columns: Readonly<Record<string, string>> | null;
}

const MAX_ROWS = 10_000;
const VARIABLE = /\{\{\s*([^{}]+?)\s*\}\}/g;

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
  if (issues.length > 0) {
    const detail = `The dataset lacks columns that the request names; "errors" names each.`;
    throw new ApiError('validation_error', detail, { issues });
  }
  return found;
}

/** Reads and fills in all rows. @throws {ApiError} `validation_error` for rows that are too large */
export async function readEvaluatedRows(
  store: DatasetStore,
  found: FoundSplit,
  { dataset, scorers, by }: { dataset: DatasetRequest; scorers: readonly ScorerRequest[]; by: string },
  signal: AbortSignal,
): Promise<EvaluatedRow[]> {
  const names = new Set(found.columns.map(({ name }) => name));
  const fill = (template: string, row: DatasetRow) => toStorableText(fillTemplate(template, row, names));
  const optional = (template: string | null | undefined, row: DatasetRow) =>
    template === null || template === undefined ? null : fill(template, row);
  const scored = scorers.flatMap(({ column }) => column ?? []);
  const rows: EvaluatedRow[] = [];
  try {
    for await (const page of readSplit(store, found, by, signal)) {
      for (const row of page) {
        const { files } = dataset;
        rows.push({
          position: rows.length,
          input: fill(dataset.input, row),
          expected: optional(dataset.expected, row),
          system: optional(dataset.system, row),
          files: files ? mapValues(files, (template) => fill(template, row)) : null,
          columns:
            scored.length > 0 ? Object.fromEntries(scored.map((name) => [name, textOf(row[name])])) : null,
        });
      }
    }
  } catch (error) {
    if (error instanceof BoundError)
      throw invalidValue(['body', 'dataset'], `has a row that ${error.message}`);
    throw error;
  }
  return rows;
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
  for (const [index, { column }] of scorers.entries())
    if (column && !names.has(column)) refuse(['body', 'scorers', index, 'column'], column);
  return issues;
}

/** A text without braces names a column. */
function namesIn(template: string, names: ReadonlySet<string>): string[] {
  if (template === '' || names.has(template)) return [];
  const variables = [...template.matchAll(VARIABLE)].map(([, name = '']) => name);
  return variables.length > 0 ? variables : [template];
}

const fillTemplate = (template: string, row: DatasetRow, names: ReadonlySet<string>) =>
  names.has(template)
    ? textOf(row[template])
    : template.replaceAll(VARIABLE, (_, name: string) => textOf(row[name]));

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const mapValues = <To>(values: Readonly<Record<string, string>>, change: (value: string) => To) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
