/** The connections of a sandbox to what listens in it: bounded, and gone with it. */
import type { Socket } from 'node:net';
import { ApiError } from '../../http/errors.ts';
import { Connector, type ConnectorPlace } from './connector.ts';

/** Each is an open file of this process. */
const MAX_CONNECTIONS = 256;

export class PortConnections {
  readonly #connector: Connector;
  readonly #open = new Set<Socket>();
  #opening = 0;
  /** Counts how often all were ended: one that was on its way then comes too late. */
  #ends = 0;

  constructor(place: ConnectorPlace) {
    this.#connector = new Connector(place);
  }

  async connect(port: number): Promise<Socket> {
    if (this.#open.size + this.#opening >= MAX_CONNECTIONS) {
      const detail = `A sandbox takes at most ${MAX_CONNECTIONS} connections at once. Try again when others are closed.`;
      throw new ApiError('usage_limit_exceeded_error', detail, { headers: { 'retry-after': '1' } });
    }
    const ends = this.#ends;
    this.#opening += 1;
    try {
      const socket = await this.#connector.connect(port);
      socket.on('error', () => undefined); // whoever has it hears of its close
      socket.allowHalfOpen = true;
      if (ends !== this.#ends) {
        socket.destroy();
        throw new ApiError('conflict_error', 'The sandbox is not running any more.');
      }
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      return socket;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Nothing of them is left when this resolves: while one is open, so is the network of the sandbox. */
  async end(): Promise<void> {
    this.#ends += 1;
    const closed = [...this.#open].map((socket) => {
      const gone = new Promise((resolve) => socket.once('close', resolve));
      socket.destroy();
      return gone;
    });
    await Promise.all([...closed, this.#connector.close()]);
  }
}
