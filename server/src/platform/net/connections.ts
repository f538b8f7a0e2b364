/** Connections by origin. Each carries one request at a time, and is kept for the next one for a while. */
import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';

/** Less than the time after which servers and balancers close an idle connection, mostly; one that says less is believed. */
const KEPT_FOR_MS = 25_000;

export interface Connection {
  readonly client: Client;
  /** Whether an answer has come on it before. */
  isUsed: boolean;
}

export class Connections {
  readonly #connect: buildConnector.connector;
  readonly #idle = new Map<string, Connection[]>();
  readonly #all = new Set<Connection>();

  /** @param lookup is asked for each new connection to a name */
  constructor(lookup: LookupFunction) {
    // How long it may take is up to each request.
    this.#connect = buildConnector({ lookup, timeout: 0 });
  }

  get size(): number {
    return this.#all.size;
  }

  /** One that is closing, and has not said so yet, is left to it: what is sent on it would end with it. */
  take(origin: string): Connection {
    const idle = this.#idle.get(origin) ?? [];
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      if (kept.client.stats.connected) return kept;
    }
    return this.#open(origin);
  }

  /** The last answer on it has come to its end. */
  keep(origin: string, connection: Connection): void {
    if (!this.#all.has(connection)) return;
    connection.isUsed = true;
    const idle = this.#idle.get(origin);
    if (idle) idle.push(connection);
    else this.#idle.set(origin, [connection]);
  }

  /** Ends it. One that was never connected says nothing of its end. */
  drop(origin: string, connection: Connection): void {
    this.#all.delete(connection);
    const idle = this.#idle.get(origin);
    const index = idle?.indexOf(connection) ?? -1;
    if (idle && index >= 0) idle.splice(index, 1);
    if (idle?.length === 0) this.#idle.delete(origin);
    void connection.client.destroy();
  }

  /** Idle ones and busy ones. */
  close(): void {
    for (const { client } of this.#all) void client.destroy();
  }

  #open(origin: string): Connection {
    const client = new Client(origin, {
      connect: this.#connect,
      keepAliveTimeout: KEPT_FOR_MS,
      keepAliveMaxTimeout: KEPT_FOR_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { client, isUsed: false };
    this.#all.add(connection);
    const drop = () => this.drop(origin, connection);
    client.once('disconnect', drop).once('connectionError', drop);
    return connection;
  }
}
