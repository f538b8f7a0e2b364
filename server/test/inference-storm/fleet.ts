/** Three servers on one database, of which some are killed and started again while the others go on. */
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

  /** Of any that runs. */
  url = (): string => this.random.pick(this.servers).url;

  /** One of them, or two. They run again when this resolves. */
  async kill(): Promise<void> {
    const count = this.random.chance(0.25) ? 2 : 1;
    const victims = this.servers.splice(0, count);
    this.kills += count;
    await Promise.all(victims.map((server) => server.stop('SIGKILL')));
    // The next victims are others.
    this.servers.push(...(await Promise.all(victims.map(() => startServer(this.environment)))));
  }

  /** As they are asked to: with all that has begun brought to its end. */
  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    this.servers = [];
  }
}
