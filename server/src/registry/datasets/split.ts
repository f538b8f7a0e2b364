/** The data files of a dataset by their purpose, as stored in `artifact_versions.details`. */
import { DATA_FORMATS, type DataColumn, type DataFormat } from '../../platform/analytics/data-file.ts';
import { invalidValue } from '../../platform/errors.ts';

export interface SplitFile {
  readonly name: string;
  /** Path in the bundle. */
  readonly path: string;
  readonly format: DataFormat;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly size_bytes: number;
}

export interface Split extends SplitFile {
  readonly row_count: number;
  readonly columns: readonly DataColumn[];
}

/** Detects the format by the file extension; undefined for other files. */
export function findDataFormat(path: string): DataFormat | undefined {
  const lower = path.toLowerCase();
  return DATA_FORMATS.find((format) => lower.endsWith(`.${format}`));
}

export const splitsOf = (details: Readonly<Record<string, unknown>>) =>
  (details.splits ?? []) as readonly Split[];

/**
 * Finds a split by name; without a name, the only one.
 * @param loc of the name in the request
 */
export function chooseSplit(
  splits: readonly Split[],
  name: string | undefined,
  loc: readonly string[],
): Split {
  const [first] = splits;
  if (!first) throw invalidValue(loc, 'names nothing: this dataset has no splits');
  const isOnly = splits.every(({ path }) => path === first.path);
  const chosen = name === undefined ? isOnly && first : splits.find((split) => split.name === name);
  if (!chosen)
    throw invalidValue(loc, `must be one of ${splits.map((split) => `"${split.name}"`).join(', ')}`);
  return chosen;
}
