/** Lists every table that SQL queries may use. */
import { accountTables } from './accounts/sql-tables.ts';
import { airtTables } from './airt/sql-tables.ts';
import { evaluationTables } from './evaluations/sql-tables.ts';
import { optimizationTables } from './optimization/sql-tables.ts';
import type { SqlTable } from './platform/sql-tables/sql-table.ts';
import { registryTables } from './registry/sql-tables.ts';
import { runtimeTables } from './runtimes/sql-tables.ts';
import { sessionTables } from './sessions/sql-tables.ts';
import { taskSetTables } from './task-sets/sql-tables.ts';
import { traceTables } from './traces/sql-tables.ts';
import { trainingTables } from './training/sql-tables.ts';
import { usageTables } from './usage/sql-tables.ts';

export const SQL_TABLES: readonly SqlTable[] = [
  ...sessionTables,
  ...traceTables,
  ...usageTables,
  ...runtimeTables,
  ...evaluationTables,
  ...optimizationTables,
  ...trainingTables,
  ...airtTables,
  ...registryTables,
  ...taskSetTables,
  ...accountTables,
];
