/** How the statements of a piece of work are planned: with what they were given, and for whatever they may be given. */
import type {
  CompiledQuery,
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
} from 'kysely';
import pg from 'pg';
import type { Db } from '../src/platform/db/connect.ts';
import type { TestServer } from './harness.ts';

/** Does the work, and then explains every SELECT of it, both ways. @returns the texts of all plans */
export async function explainWork(
  { db, url }: Pick<TestServer, 'db' | 'url'>,
  work: (db: Db) => Promise<unknown>,
): Promise<string[]> {
  const recorder = new Recorder(db);
  await work(db.withPlugin(recorder));
  const selects = recorder.statements.filter(({ sql }) => /^\s*(select|with)\b/i.test(sql));
  // Not through the pool: it names every statement, and gives all of them their values.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const plans: string[] = [];
    for (const { sql, parameters } of selects) {
      const custom = await client.query(`EXPLAIN ${sql}`, [...parameters]);
      const generic = await client.query(`EXPLAIN (GENERIC_PLAN) ${sql}`);
      plans.push(...[custom, generic].map(({ rows }) => rows.map((row) => row['QUERY PLAN']).join('\n')));
    }
    return plans;
  } finally {
    await client.end();
  }
}

class Recorder implements KyselyPlugin {
  readonly statements: CompiledQuery[] = [];
  private readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs) {
    this.statements.push(this.db.getExecutor().compileQuery(node, queryId));
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}
