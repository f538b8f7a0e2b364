/** Connects to PostgreSQL: a pool with our settings, and Kysely on top of it. */
import { createHash } from 'node:crypto';
import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../log.ts';
import { untilConnected } from './lost-connection.ts';
import type { Database } from './schema.gen.ts';
import { parseTimestamp } from './timestamp.ts';

export type Db = Kysely<Database>;

export interface ConnectOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Off behind a pooler in transaction mode that does not follow prepared statements. */
  readonly namedStatements: boolean;
  readonly log: Log;
}

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * An idle server runs its rarest statements once a minute. A shorter timeout would close the connections in between; opening one takes 12 ms of
 * CPU in PostgreSQL and 8 ms here.
 */
export const IDLE_CONNECTION_MS = 90_000;

export function connect(options: ConnectOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'drydock',
    types: { getTypeParser },
    Client: options.namedStatements ? NamingClient : CallbackClient,
  });
  // If the pool had no listener, a lost PostgreSQL connection would end this process.
  pool.on('error', (error) => {
    // A pool that ends does not wait for its connections: PostgreSQL may stop before they have closed.
    if (!pool.ending) options.log.warn({ err: error }, 'an idle database connection was lost');
  });
  // The same for a connection lost in the middle of a transaction: its next statement reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  // Every caller waits up to 2 s for a connection, so that a restart of PostgreSQL is not an error.
  const waitingPool = {
    connect: () => untilConnected(() => pool.connect()),
    end: () => pool.end(),
    options: pool.options,
  };
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: waitingPool }) });
  pools.set(db, pool);
  return db;
}

const pools = new WeakMap<Db, pg.Pool>();

/** The pool behind a connected database; none behind a transaction, which has one connection of its own. */
export function poolOf(db: Db): pg.Pool | undefined {
  return pools.get(db);
}

/** Returns the same database with a plugin that sees every built statement. */
export function withPlugin(db: Db, plugin: KyselyPlugin): Db {
  const watched = db.withPlugin(plugin);
  const pool = poolOf(db);
  if (pool) pools.set(watched, pool);
  return watched;
}

const TIMESTAMPTZ = 1184;
const INT8 = 20;
const INT8_ARRAY: number = 1016;
const NUMERIC = 1700;

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === TIMESTAMPTZ) return parseTimestamp;
  if (oid === INT8 || oid === NUMERIC) return Number;
  if (oid === INT8_ARRAY) return parseNumbers;
  return pg.types.getTypeParser(oid, format);
}

const parseTexts = pg.types.getTypeParser(INT8_ARRAY);
const parseNumbers = (text: string) => (parseTexts(text) as string[]).map(Number);

type QueryCallback = (error: Error | undefined, result: unknown) => void;

/** Receives results by callback: results that pg delivers by promise survive minor garbage collections, so the heap grows with every read. */
class CallbackClient extends pg.Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of pg cannot be restated
  override query(...args: any[]): any {
    const [text, values, callback] = args;
    if (typeof text !== 'string' || !Array.isArray(values)) return this.#send(args);
    const query = this.describe(text, values);
    if (callback) return this.#send([query, callback]);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const settle: QueryCallback = (error, result) => (error ? reject(error) : resolve(result));
    this.#send([query, settle]);
    // Otherwise the stack would point at the socket read instead of the query's caller.
    return promise.catch((error: Error) => {
      Error.captureStackTrace(error);
      throw error;
    });
  }

  protected describe(text: string, values: unknown[]): pg.QueryConfig {
    return { text, values };
  }

  #send(args: unknown[]): unknown {
    return Reflect.apply(pg.Client.prototype.query, this, args);
  }
}

/** Names each statement, so that PostgreSQL parses and plans it once per connection. */
class NamingClient extends CallbackClient {
  protected override describe(text: string, values: unknown[]): pg.QueryConfig {
    return { name: statementName(text), text, values };
  }
}

const statementNames = new Map<string, string>();
const MAX_STATEMENT_NAMES = 2_000;

/** Statements beyond the limit (built with text that varies) stay unnamed: the empty name is reused. */
function statementName(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  if (statementNames.size >= MAX_STATEMENT_NAMES) return '';
  const name = createHash('sha1').update(text).digest('base64url');
  statementNames.set(text, name);
  return name;
}
