/**
 * Reads every statement that the tests cause and refuses one that touches a tenant's table without saying whose rows
 * it means. It stands between the application and the database in every test.
 */
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { isGlobal } from './global-tables.ts';

const TABLE = /\b(from|join|update|insert into)\s+"(\w+)"(?:\s+as\s+"(\w+)")?/g;

export class TenantFilterCheck implements KyselyPlugin {
  private readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs) {
    const { sql } = this.db.getExecutor().compileQuery(node, queryId);
    // A clean-up says so in its statement.
    const unfiltered = sql.includes('/* of every organization */') ? [] : unfilteredTables(sql);
    if (unfiltered.length > 0) throw new Error(`No tenant filter on ${unfiltered.join(', ')}: ${sql}`);
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

export function unfilteredTables(sql: string): string[] {
  const tables = [...sql.matchAll(TABLE)].filter(([, , table = '']) => !isGlobal(table));
  return tables.flatMap(([, verb, table = '', alias]) => {
    if (verb === 'insert into') return /\([^)]*"organization_id"/.test(sql) ? [] : table;
    const column = alias ? `"${alias}"."organization_id"` : '"organization_id"';
    const conditions = sql.slice(sql.search(/\b(where|on)\b/));
    const isFiltered = conditions.includes(`${column} = `) || conditions.includes(` = ${column}`);
    return isFiltered || isOwnMemberships(table, conditions) ? [] : table;
  });
}

/** "My organizations" starts from the user, who belongs to several. */
const isOwnMemberships = (table: string, conditions: string) =>
  table === 'memberships' && /"user_id" = \$/.test(conditions);
