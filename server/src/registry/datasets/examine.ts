/** Validates and describes the data files of a dataset before it is published. */
import { inspectDataFile } from '../../platform/analytics/analytics.ts';
import { BoundError, DataError, type DataShape } from '../../platform/analytics/data-file.ts';
import { type LocalFiles, withCopy } from '../../platform/analytics/local-files.ts';
import { type Issue, invalidValues } from '../../platform/errors.ts';
import type { Reading } from '../draft.ts';
import type { Split, SplitFile } from './split.ts';

export type ExaminerOptions = Pick<LocalFiles, 'work' | 'copies' | 'turns'>;

/**
 * Examines files in the order given.
 * @throws ApiError that names every invalid file and the first invalid line
 */
export type DatasetExaminer = (splits: readonly SplitFile[], reading: Reading) => Promise<Split[]>;

export function datasetExaminer(options: ExaminerOptions): DatasetExaminer {
  return async (splits, reading) => {
    const examined = new Map<string, DataShape | Issue>();
    // Files are examined one by one: each may use the whole memory budget.
    for (const file of splits) {
      if (!examined.has(file.path)) examined.set(file.path, await examine(options, file, reading));
    }
    const issues = [...examined.values()].filter((found) => 'msg' in found);
    if (issues.length > 0) throw invalidValues(issues);
    return splits.map((file) => ({ ...file, ...(examined.get(file.path) as DataShape) }));
  };
}

async function examine(
  options: ExaminerOptions,
  { path, format, sha256, size_bytes }: SplitFile,
  { organizationId, open, signal }: Reading,
): Promise<DataShape | Issue> {
  const content = { owner: organizationId, sha256, size_bytes, open: () => open(sha256) };
  const use = { purpose: 'inspect', by: organizationId, content, signal } as const;
  try {
    return await withCopy(options, use, (copy) =>
      inspectDataFile({ work: options.work, path: copy, format, signal }),
    );
  } catch (error) {
    if (!(error instanceof DataError || error instanceof BoundError)) throw error;
    const line = error instanceof DataError && error.line !== undefined ? `, line ${error.line}` : '';
    return { loc: ['body', path], msg: `${path}${line}: ${error.message}`, type: 'invalid_data' };
  }
}
