/** A server and a worker on one database. Each of the three can be killed and is restarted. */
import { connect, type Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { FIRST_START } from './first-start.ts';
import {
  call,
  newDataDir,
  postmasterOf,
  type RunningServer,
  type ServerProcess,
  spawnServer,
  startServer,
  until,
  urlOfRunning,
} from './processes.ts';

const KEY = FIRST_START.apiKey;

export type Victim = 'worker' | 'server' | 'PostgreSQL';

export class KilledFleet {
  readonly #dataDir = newDataDir();
  readonly #environment = {
    DRYDOCK_DATA_DIR: this.#dataDir,
    DRYDOCK_INIT_API_KEY: KEY,
    DRYDOCK_SECRET_KEY: 'one key for the server and the worker here',
    DRYDOCK_LOG_LEVEL: 'fatal',
  };
  #server: RunningServer | undefined;
  #worker: ServerProcess | undefined;

  async start(): Promise<void> {
    this.#server = await startServer({ ...this.#environment, DRYDOCK_ROLE: 'server' });
    this.#worker = this.#startWorker();
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
    await this.#server?.stop();
  }

  get #url(): string {
    if (!this.#server) throw new Error('no server runs');
    return this.#server.url;
  }

  #startWorker(): ServerProcess {
    return spawnServer({
      ...this.#environment,
      DRYDOCK_ROLE: 'worker',
      DATABASE_URL: urlOfRunning(this.#dataDir),
    });
  }

  post<Body>(path: string, body: object) {
    return call<Body>(this.#url, KEY, 'POST', path, body);
  }

  /** @returns undefined while the server does not respond with 200 */
  async get<Body>(path: string): Promise<Body | undefined> {
    const response = await call<Body>(this.#url, KEY, 'GET', path).catch(() => undefined);
    return response?.status === 200 ? response.body : undefined;
  }

  /** @returns the status */
  async putBundle(path: string, content: Buffer): Promise<number> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(content),
    });
    return response.status;
  }

  async kill(victim: Victim): Promise<void> {
    if (victim === 'worker') {
      await this.#worker?.stop('SIGKILL');
      this.#worker = this.#startWorker();
    } else if (victim === 'PostgreSQL') {
      const postmaster = postmasterOf(this.#dataDir);
      process.kill(postmaster, 'SIGKILL');
      await until('PostgreSQL runs again', () => {
        try {
          return postmasterOf(this.#dataDir) !== postmaster;
        } catch {
          return false;
        }
      });
    } else {
      await this.#server?.stop('SIGKILL');
      this.#server = await startServer({ ...this.#environment, DRYDOCK_ROLE: 'server' });
    }
  }

  /** Reads the database directly, without the server. */
  async withDb<Result>(read: (db: Db) => Promise<Result>): Promise<Result> {
    const url = urlOfRunning(this.#dataDir);
    const db = connect({ url, poolSize: 1, namedStatements: false, log: createLog('fatal') });
    try {
      return await read(db);
    } finally {
      await db.destroy();
    }
  }
}
