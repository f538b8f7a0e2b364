/** The connections of a sandbox to ports inside it: limited in number, and closed with the sandbox. */
import type { Duplex } from 'node:stream';
import { ApiError } from '../../../errors.ts';

/** Maximum number of connections; each one is an open file of this process. */
const MAX_CONNECTIONS = 256;

/** Opens connections. */
export interface PortOpener {
  connect(port: number): Promise<Duplex>;
  /** Fails pending connections. */
  close(): Promise<void>;
}

export class PortConnections {
  readonly #opener: PortOpener;
  readonly #open = new Set<Duplex>();
  #opening = 0;
  /** Number of times all connections were ended, so that one opened concurrently is closed too. */
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
      connection.on('error', () => undefined); // its user sees the close
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

  /** Resolves when all connections are closed: an open one would keep the network of the sandbox alive. */
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
