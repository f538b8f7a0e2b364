/** Three servers on one database, some of which are killed and restarted while the others keep running. */
import type { Random } from '../../fuzz/random.ts';
import { type RunningServer, startServer } from '../processes.ts';

const SIZE = 3;

export class Fleet {
  kills = 0;
  private readonly environment: Record<string, string>;
  private readonly random: Random;
  private servers: RunningServer[] = [];

  constructor(environment: Record<string, string>, random: Random) {
    this.environment = environment;
    this.random = random;
  }

  async start(size = SIZE): Promise<void> {
    this.servers = await Promise.all(Array.from({ length: size }, () => startServer(this.environment)));
  }

  /** URL of any running server. */
  url = (): string => this.random.pick(this.servers).url;

  /** Kills one or two of them. Resolves when they run again. */
  async kill(): Promise<void> {
    const count = this.random.chance(0.25) ? 2 : 1;
    const victims = this.servers.splice(0, count);
    this.kills += count;
    await Promise.all(victims.map((server) => server.stop('SIGKILL')));
    // Appended at the end, so that the next victims are others.
    this.servers.push(...(await Promise.all(victims.map(() => startServer(this.environment)))));
  }

  /** Stops the servers gracefully, after all running work has ended. */
  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    this.servers = [];
  }
}
