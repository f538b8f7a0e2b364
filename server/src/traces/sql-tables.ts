/** What can be asked of traces with SQL. */
import type { SqlTable } from '../platform/sql-tables/sql-table.ts';
import { spans } from './sql-tables/spans.ts';
import { traces } from './sql-tables/traces.ts';

export const traceTables: readonly SqlTable[] = [spans, traces];
