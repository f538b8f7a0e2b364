/** SQL tables of traces. */
import type { SqlTable } from '../platform/sql-tables/sql-table.ts';
import { spans } from './sql-tables/spans.ts';
import { traces } from './sql-tables/traces.ts';

export const traceTables: readonly SqlTable[] = [spans, traces];
