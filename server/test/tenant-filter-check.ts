/**
 * Reads every statement of the tests and refuses one that uses a tenant's table without a filter on its organization. It stands between the
 * application and the database in every test.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { isGlobal } from './global-tables.ts';

/** Built statements quote their names, raw ones do not. */
const TABLE = /\b(from|join|update|insert into)\s+"?(\w+)"?(?:\s+as\s+"?(\w+)"?)?/gi;

/** A clean-up of the whole platform marks its statement with this comment. */
const EVERYONE = '/* of every organization */';

const TENANT_TABLES = readTenantTables();

export class TenantFilterCheck implements KyselyPlugin {
  private readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs) {
    const { sql } = this.db.getExecutor().compileQuery(node, queryId);
    const unfiltered = unfilteredTables(sql);
    if (unfiltered.length > 0) throw new Error(`No tenant filter on ${unfiltered.join(', ')}: ${sql}`);
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

export function unfilteredTables(sql: string): string[] {
  if (sql.includes(EVERYONE)) return [];
  const tables = [...sql.matchAll(TABLE)].filter(([, , table = '']) => TENANT_TABLES.has(table));
  return tables.flatMap(([, verb = '', table = '', alias]) => {
    if (verb.toLowerCase() === 'insert into') return /\([^)]*\borganization_id\b/.test(sql) ? [] : table;
    const conditions = sql.slice(sql.search(/\b(where|on)\b/i));
    return isFiltered(conditions, alias) || isOwnMemberships(table, conditions) ? [] : table;
  });
}

function isFiltered(conditions: string, alias: string | undefined): boolean {
  const isBuilt = conditions.includes('"');
  const column = isBuilt && alias ? `(?<!\\w)"?${alias}"?\\."?organization_id"?` : '"?organization_id"?';
  return new RegExp(`${column} (=|IS NOT DISTINCT FROM) | = (\\w+\\.)?${column}`).test(conditions);
}

/** "My organizations" starts from the user, who belongs to several. */
const isOwnMemberships = (table: string, conditions: string) =>
  table === 'memberships' && /"user_id" = \$/.test(conditions);

/** Names that are not our tables, such as CTEs of the statement, are ignored. */
function readTenantTables(): ReadonlySet<string> {
  const types = readFileSync(join(import.meta.dirname, '../src/platform/db/schema.gen.ts'), 'utf8');
  const database = types.slice(types.indexOf('export interface Database'));
  const names = [...database.matchAll(/^ {2}(\w+): \w+;$/gm)].map(([, name = '']) => name);
  return new Set(names.filter((name) => !isGlobal(name)));
}
