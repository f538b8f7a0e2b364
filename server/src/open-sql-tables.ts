/** Lets rows of the tables that can be asked about with SQL be read, each time for one who looks. */
import type { SqlTables } from './exports/asking.ts';
import { FairSemaphore } from './platform/admission/fair-semaphore.ts';
import { type Db, poolOf } from './platform/db/connect.ts';
import { openRowSource } from './platform/sql-tables/row-source.ts';
import { SQL_TABLES } from './sql-tables.ts';

/** Of a process, for each of the two: who waits for a query waits for no export. */
const CONNECTIONS = 4;

export interface SqlTablesOptions {
  readonly db: Db;
  /** Past any pooler, where that can be had. */
  readonly directUrl: string | undefined;
  /** Longer than the work that the rows are for may take, which is ended before. */
  readonly statementTimeoutMs: number;
  /** For what moves rows in a process of its own. */
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
