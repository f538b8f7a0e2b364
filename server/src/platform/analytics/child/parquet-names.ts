/** The original names in a Parquet file: DuckDB renames some of them when reading. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { DataError } from '../data-file.ts';
import { literal } from './sql.ts';
import { foldCase, MAX_COLUMNS } from './value-kinds.ts';

interface Parent {
  readonly folded: Set<string>;
  left: number;
}

/** @throws DataError for names that no column or nested field can have */
export async function checkParquetNames(connection: DuckDBConnection, path: string): Promise<void> {
  // The leading dot preserves a byte order mark at the start of a name, which would be stripped from the text.
  const schema = await connection.runAndReadAll(
    `SELECT '.' || name, coalesce(num_children, 0)::DOUBLE FROM parquet_schema(${literal(path)})`,
  );
  const [[, count] = ['', 0], ...all] = schema.getRows() as [string, number][];
  if (count > MAX_COLUMNS) throw new DataError(`has more than ${MAX_COLUMNS} columns`);
  // Each entry is followed by its children.
  const parents: Parent[] = [{ folded: new Set(), left: count }];
  for (const [name, children] of all) {
    let parent = parents.at(-1);
    while (parent && parent.left === 0) {
      parents.pop();
      parent = parents.at(-1);
    }
    if (!parent) return;
    parent.left--;
    checkName(name.slice(1), parent.folded);
    parents.push({ folded: new Set(), left: children });
  }
}

function checkName(name: string, others: Set<string>): void {
  if (name === '') throw new DataError('has a column without a name');
  if (name.includes('\0')) throw new DataError('has a column with NUL in its name');
  const folded = foldCase(name);
  if (others.has(folded)) {
    const quoted = JSON.stringify(name);
    throw new DataError(`has two columns named ${quoted}, or alike but for their case; rename one of them`);
  }
  others.add(folded);
}
