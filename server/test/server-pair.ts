/** Two servers on one bundled PostgreSQL, each of which may be killed while requests are sent to them. */
import { randomInt } from 'node:crypto';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import {
  newDataDir,
  pgdataOf,
  postmasterOf,
  type RunningServer,
  startServer,
  until,
  urlOfRunning,
} from './processes.ts';

export class ServerPair {
  private readonly environment: Record<string, string>;
  readonly dataDir = newDataDir();
  /** The first one runs the bundled PostgreSQL, the second one connects to it. */
  private servers: readonly [RunningServer, RunningServer] | undefined;

  constructor(apiKey: string) {
    this.environment = {
      DRYDOCK_DATA_DIR: this.dataDir,
      DRYDOCK_INIT_API_KEY: apiKey,
      DRYDOCK_SECRET_KEY: 'one key for both of the servers here',
      DRYDOCK_LOG_LEVEL: 'fatal',
    };
  }

  async start(): Promise<void> {
    this.servers = [await startServer(this.environment), await this.startSecond()];
  }

  async stop(): Promise<void> {
    const [first, second] = this.running();
    await second.stop();
    await first.stop();
  }

  /** URL of either server. */
  url(): string {
    return this.running()[randomInt(2) as 0 | 1].url;
  }

  databaseUrl(): string {
    return urlOfRunning(this.dataDir);
  }

  /** The first one keeps running. */
  async killSecond(): Promise<void> {
    const [first, second] = this.running();
    await second.stop('SIGKILL');
    this.servers = [first, await this.startSecond()];
  }

  /**
   * Kills PostgreSQL, the servers, or all of them, depending on the round; all run again afterwards.
   * @returns what was killed
   */
  async kill(round: number): Promise<string> {
    const postmaster = postmasterOf(this.dataDir);
    const pids = this.running().map(({ pid }) => pid);
    const kills = [
      { name: 'PostgreSQL', victims: [postmaster] },
      { name: 'PostgreSQL and both servers', victims: [postmaster, ...pids] },
      { name: 'both servers', victims: pids },
      { name: 'both servers and PostgreSQL', victims: [...pids, postmaster] },
    ];
    const { name, victims } = kills[(round - 1) % kills.length] ?? { name: '', victims: pids };
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    // PostgreSQL ends with its server.
    if (victims.length > 1) {
      await Promise.all(this.running().map(({ exited }) => exited));
      await this.start();
    }
    const isNew = () => (findPostmaster(pgdataOf(this.dataDir))?.pid ?? postmaster) !== postmaster;
    await until('another PostgreSQL runs', isNew);
    return name;
  }

  private running(): readonly [RunningServer, RunningServer] {
    if (!this.servers) throw new Error('no server runs');
    return this.servers;
  }

  private startSecond(): Promise<RunningServer> {
    return startServer({ ...this.environment, DATABASE_URL: this.databaseUrl() });
  }
}
