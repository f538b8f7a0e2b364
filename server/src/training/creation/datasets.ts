/** Finds the datasets of a job and reads their first rows: what cannot be trained on is refused before a job is stored. */
import { BoundError } from '../../platform/analytics/data-file.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import {
  type DatasetRow,
  type DatasetStore,
  type FoundSplit,
  findSplit,
  readSplit,
} from '../../registry/service.ts';
import type { DatasetRefOf, TrainingConfigOf } from '../config-schema.ts';
import type { StoredDataset } from '../stored-job.ts';
import { findColumnProblem, findRowProblem, hasMessages } from './rows.ts';

/** Rows of a dataset that are checked; the trainer checks the others when it starts. */
const CHECKED_ROWS = 10_000;
const SHOWN_PROBLEMS = 10;
const SPLITS = { train: ['train', 'training'], eval: ['validation', 'val', 'test'] } as const;

/** The size of a row that was read. */
export interface RowSize {
  readonly row: number;
  readonly characters: number;
}

export interface FoundDataset {
  readonly stored: StoredDataset;
  readonly ref: DatasetRefOf;
  readonly hasMessages: boolean;
  readonly sizes: readonly RowSize[];
}

interface Wanted {
  readonly ref: DatasetRefOf;
  readonly role: StoredDataset['role'];
  readonly loc: readonly (string | number)[];
}

export function listWanted(config: TrainingConfigOf): Wanted[] {
  const { dataset_ref, trajectory_dataset_refs, eval_dataset_ref } = config;
  const at = (...rest: (string | number)[]) => ['body', 'config', ...rest];
  return [
    ...(dataset_ref ? [{ ref: dataset_ref, role: 'train' as const, loc: at('dataset_ref') }] : []),
    ...(trajectory_dataset_refs ?? []).map((ref, index) => ({
      ref,
      role: 'trajectories' as const,
      loc: at('trajectory_dataset_refs', index),
    })),
    ...(eval_dataset_ref
      ? [{ ref: eval_dataset_ref, role: 'eval' as const, loc: at('eval_dataset_ref') }]
      : []),
  ];
}

/** @throws {ApiError} `validation_error` for a dataset that is missing or cannot be trained on, naming the first ten bad rows */
export async function findDataset(
  store: DatasetStore,
  scope: WorkspaceScope,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<FoundDataset> {
  const { ref, role, loc } = wanted;
  const found = await findRows(store, scope, wanted);
  if (found.rowCount === 0) throw invalidValue([...loc], 'has no rows');
  const columns = found.columns.map(({ name }) => name);
  const problem = findColumnProblem(role, columns);
  if (problem !== undefined) throw invalidValue([...loc], problem);
  const sizes = await checkRows(store, scope, found, { role, loc, signal });
  const { ownerId, versionId, version, digest, split } = found;
  const { name, path, format, sha256, size_bytes } = split;
  return {
    stored: {
      role,
      ownerId,
      versionId,
      name: ref.name,
      version,
      digest,
      split: name,
      path,
      format,
      sha256,
      size_bytes,
      row_count: found.rowCount,
    },
    ref: { ...ref, version, split: name },
    hasMessages: hasMessages(role, columns),
    sizes,
  };
}

async function checkRows(
  store: DatasetStore,
  scope: WorkspaceScope,
  found: FoundSplit,
  { role, loc, signal }: Omit<Wanted, 'ref'> & { readonly signal: AbortSignal },
): Promise<RowSize[]> {
  const problems: string[] = [];
  const sizes: RowSize[] = [];
  const refuse = () => {
    const has = problems.length === SHOWN_PROBLEMS ? 'has at least' : 'has';
    const rows = problems.length === 1 ? '1 row' : `${problems.length} rows`;
    return invalidValue([...loc], `${has} ${rows} that cannot be trained on: ${problems.join('; ')}`);
  };
  try {
    for await (const row of firstRows(readSplit(store, found, scope.organizationId, signal))) {
      const index = sizes.length;
      const problem = findRowProblem(role, row);
      if (problem) problems.push(`row ${index}, ${problem.column}: ${problem.message}`);
      if (problems.length === SHOWN_PROBLEMS) throw refuse();
      sizes.push({ row: index, characters: JSON.stringify(row).length });
    }
  } catch (error) {
    if (error instanceof BoundError) throw invalidValue([...loc], `has a row that ${error.message}`);
    throw error;
  }
  if (problems.length > 0) throw refuse();
  return sizes;
}

async function* firstRows(pages: AsyncIterable<DatasetRow[]>): AsyncGenerator<DatasetRow> {
  let count = 0;
  for await (const page of pages)
    for (const row of page) {
      yield row;
      if (++count === CHECKED_ROWS) return;
    }
}

async function findRows(
  { db }: DatasetStore,
  scope: WorkspaceScope,
  { ref, role, loc }: Wanted,
): Promise<FoundSplit> {
  const find = (split: string | null | undefined) =>
    findSplit(db, scope, { ...ref, split }, [...loc.map(String), 'split']);
  try {
    return await find(ref.split);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.type === 'not_found_error') throw invalidValue([...loc], error.message);
    if (ref.split) throw error;
    for (const split of SPLITS[role === 'eval' ? 'eval' : 'train']) {
      const other = await find(split).catch((unknown: unknown) => {
        if (!(unknown instanceof ApiError)) throw unknown;
      });
      if (other) return other;
    }
    throw error;
  }
}
