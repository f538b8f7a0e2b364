/** Reads the query plans of the statements of some work: with their actual parameters, and for any parameters. */
import type {
  CompiledQuery,
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
} from 'kysely';
import pg from 'pg';
import type { Db } from '../src/platform/db/connect.ts';
import type { TestServer } from './harness.ts';

/**
 * Does the work, and then explains every SELECT of it, both ways.
 * @returns the texts of all plans
 */
export async function explainWork(
  { db, url }: Pick<TestServer, 'db' | 'url'>,
  work: (db: Db) => Promise<unknown>,
): Promise<string[]> {
  const plans: string[] = [];
  await withSelects({ db, url }, work, async (client, { sql, parameters }) => {
    const custom = await client.query(`EXPLAIN ${sql}`, [...parameters]);
    const generic = await client.query(`EXPLAIN (GENERIC_PLAN) ${sql}`);
    plans.push(...[custom, generic].map(({ rows }) => rows.map((row) => row['QUERY PLAN']).join('\n')));
  });
  return plans;
}

/**
 * Does the work, and then every SELECT of it again.
 * @returns how many blocks all of them read
 */
export async function countBlocks(
  { db, url }: Pick<TestServer, 'db' | 'url'>,
  work: (db: Db) => Promise<unknown>,
): Promise<number> {
  let blocks = 0;
  await withSelects({ db, url }, work, async (client, { sql, parameters }) => {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, [...parameters]);
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  });
  return blocks;
}

export interface DonePlan {
  readonly text: string;
  readonly blocks: number;
}

/** Does the work, and then every SELECT of it again, each with its generic plan. */
export async function explainGenericWork(
  { db, url }: Pick<TestServer, 'db' | 'url'>,
  work: (db: Db) => Promise<unknown>,
): Promise<DonePlan[]> {
  const plans: DonePlan[] = [];
  await withSelects({ db, url }, work, async (client, { sql, parameters }) => {
    await client.query('SET plan_cache_mode = force_generic_plan');
    await client.query(`PREPARE one AS ${sql}`);
    const values = parameters.map((value) => toLiteral(value)).join(', ');
    const done = await client.query(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE one${values && `(${values})`}`,
    );
    await client.query('DEALLOCATE one');
    const text = done.rows.map((row) => row['QUERY PLAN']).join('\n');
    const [, hit, read] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(text) ?? [];
    plans.push({ text, blocks: Number(hit ?? 0) + Number(read ?? 0) });
  });
  return plans;
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => toElement(item)).join(',')}}`);
  if (Buffer.isBuffer(value)) return pg.escapeLiteral(`\\x${value.toString('hex')}`);
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}

const toElement = (value: unknown) =>
  Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : JSON.stringify(value);

async function withSelects(
  { db, url }: Pick<TestServer, 'db' | 'url'>,
  work: (db: Db) => Promise<unknown>,
  explain: (client: pg.Client, select: CompiledQuery) => Promise<void>,
): Promise<void> {
  const recorder = new Recorder(db);
  await work(db.withPlugin(recorder));
  const selects = recorder.statements.filter(({ sql }) => /^\s*(select|with)\b/i.test(sql));
  // Bypasses the pool, which names every statement and binds values.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const select of selects) await explain(client, select);
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
