/** Reads from PostgreSQL's catalog which tables a backup holds, so that a new table needs no registration. */
import type pg from 'pg';
import { BackupError } from './manifest.ts';

export interface TableShape {
  readonly name: string;
  /** The stored columns; PostgreSQL generates the others. */
  readonly columns: readonly string[];
  /** All partitions that hold its rows, on every level. */
  readonly partitions?: readonly string[];
}

/** Records where the content of objects lies, which often changes with a restore. */
export const STORE_TABLE = 'object_store';

/** The index of the embedded store; an external S3 has its own. */
export const INDEX_TABLES: readonly string[] = [
  'stored_objects',
  'object_uploads',
  'object_upload_parts',
  'dropped_blobs',
];

export interface Reference {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns every table of ours that survives a crash of PostgreSQL. Unlogged tables do not, and the queue, in a schema of its own, only
 * wakes workers, which find their work in these tables. The list of migrations is written by migrating. Triggers count the stored bytes of
 * organizations again while objects and blobs are loaded, and the next start writes the quotas.
 */
export async function readTables(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
           ARRAY(SELECT p.relname::text FROM pg_partition_tree(c.oid) AS t JOIN pg_class AS p ON p.oid = t.relid
                  WHERE t.relid <> c.oid ORDER BY p.relname) AS partitions
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relpersistence = 'p' AND c.relname NOT IN ('schema_migrations', 'stored_bytes', 'storage_quotas')
     GROUP BY c.oid, c.relname ORDER BY c.relname`);
  return rows;
}

/** Returns foreign keys between tables; a table's reference to itself is checked when all its rows are loaded. */
export async function readReferences(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(`
    SELECT DISTINCT f.relname AS from, t.relname AS to
      FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
     WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace AND k.conrelid <> k.confrelid`);
  return rows;
}

/** Orders tables so that each comes after those that it refers to. */
export function loadOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const targets = Map.groupBy(references, ({ from }) => from);
  const order = new Set<string>();
  const visit = (table: string, path: readonly string[]) => {
    if (order.has(table)) return;
    if (path.includes(table)) {
      const cycle = [...path.slice(path.indexOf(table)), table].join(' → ');
      throw new BackupError(
        `The foreign keys ${cycle} form a circle, so no order exists in which these tables can be restored.`,
      );
    }
    for (const { to } of targets.get(table) ?? []) visit(to, [...path, table]);
    order.add(table);
  };
  for (const table of tables) visit(table, []);
  return [...order].filter((table) => tables.includes(table));
}
