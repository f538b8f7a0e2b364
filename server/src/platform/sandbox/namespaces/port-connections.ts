/** The connections of a sandbox to what listens in it: bounded, and gone with it. */
import type { Duplex } from 'node:stream';
import { ApiError } from '../../errors.ts';

/** Each is an open file of this process. */
const MAX_CONNECTIONS = 256;

/** Makes them. */
export interface PortOpener {
  connect(port: number): Promise<Duplex>;
  /** Whoever waits for one is told so. */
  close(): Promise<void>;
}

export class PortConnections {
  readonly #opener: PortOpener;
  readonly #open = new Set<Duplex>();
  #opening = 0;
  /** Counts how often all were ended: one that was on its way then comes too late. */
  #ends = 0;

  constructor(opener: PortOpener) {
    this.#opener = opener;
  }

  async connect(port: number): Promise<Duplex> {
    if (this.#open.size + this.#opening >= MAX_CONNECTIONS) {
      const detail = `A sandbox takes at most ${MAX_CONNECTIONS} connections at once. Try again when others are closed.`;
      throw new ApiError('usage_limit_exceeded_error', detail, { headers: { 'retry-after': '1' } });
    }
    const ends = this.#ends;
    this.#opening += 1;
    try {
      const connection = await this.#opener.connect(port);
      connection.on('error', () => undefined); // whoever has it hears of its close
      if (ends !== this.#ends) {
        connection.destroy();
        throw new ApiError('conflict_error', 'The sandbox is not running any more.');
      }
      this.#open.add(connection);
      connection.once('close', () => this.#open.delete(connection));
      return connection;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Nothing of them is left when this resolves: while one is open, so is the network of the sandbox. */
  async end(): Promise<void> {
    this.#ends += 1;
    const closed = [...this.#open].map((connection) => {
      const gone = new Promise((resolve) => connection.once('close', resolve));
      connection.destroy();
      return gone;
    });
    await Promise.all([...closed, this.#opener.close()]);
  }
}
