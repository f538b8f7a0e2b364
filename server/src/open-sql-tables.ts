/** Reads rows of the tables that SQL queries may use, limited to what the viewer may see. */
import type { SqlTables } from './exports/asking.ts';
import { FairSemaphore } from './platform/admission/fair-semaphore.ts';
import { type Db, poolOf } from './platform/db/connect.ts';
import { openRowSource } from './platform/sql-tables/row-source.ts';
import { SQL_TABLES } from './sql-tables.ts';

/** Connections per process for queries, and as many for exports, so that a query never waits for an export. */
const CONNECTIONS = 4;

export interface SqlTablesOptions {
  readonly db: Db;
  /** The database address that bypasses any pooler, if one is configured. */
  readonly directUrl: string | undefined;
  /** Exceeds the time limit of the work that reads the rows, so that the work ends first. */
  readonly statementTimeoutMs: number;
  /** Environment of the child process that copies the rows. */
  readonly environment?: Readonly<Record<string, string>>;
}

export function openSqlTables({ db, directUrl, ...options }: SqlTablesOptions): SqlTables {
  const turns = new FairSemaphore(CONNECTIONS);
  const url = directUrl ?? poolOf(db)?.options.connectionString ?? '';
  return {
    tables: SQL_TABLES,
    rowsFor: (viewer) => openRowSource({ ...options, url, turns, tables: SQL_TABLES, viewer }),
  };
}
