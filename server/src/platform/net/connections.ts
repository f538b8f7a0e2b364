/** Connections by origin. Each carries one request at a time, and is kept for the next one for a while. */
import type { LookupFunction } from 'node:net';
import { Connection } from './connection.ts';
import { OutboundError } from './outbound-error.ts';

/** Less than the time after which servers and balancers close an idle connection, mostly; one that says less is believed. */
const KEPT_FOR_MS = 25_000;
const SWEEP_MS = 5_000;

export class Connections {
  readonly #lookup: LookupFunction;
  readonly #idle = new Map<string, Connection[]>();
  readonly #all = new Set<Connection>();
  #sweep: NodeJS.Timeout | undefined;

  /** @param lookup is asked for each new connection to a name */
  constructor(lookup: LookupFunction) {
    this.#lookup = lookup;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The one that was used last: those that are not needed are idle until their time is over. */
  take(origin: string): Connection {
    const idle = this.#idle.get(origin);
    const now = performance.now();
    for (let kept = idle?.pop(); kept; kept = idle?.pop()) {
      if (kept.isOpen && kept.idleUntil > now) return kept;
      kept.destroy();
    }
    return this.open(origin);
  }

  /** One that nobody has used. */
  open(origin: string): Connection {
    const connection = new Connection(origin, this.#lookup, (gone) => this.#forget(origin, gone));
    this.#all.add(connection);
    return connection;
  }

  /** The last answer on it has come to its end. @param forMs for how long the other side keeps it */
  keep(origin: string, connection: Connection, forMs: number): void {
    if (!this.#all.has(connection)) return;
    connection.isUsed = true;
    connection.idleUntil = performance.now() + Math.min(forMs, KEPT_FOR_MS);
    const idle = this.#idle.get(origin);
    if (idle) idle.push(connection);
    else this.#idle.set(origin, [connection]);
    this.#sweep ??= setInterval(() => this.#dropOld(), SWEEP_MS).unref();
  }

  /** Idle ones and busy ones, whose requests fail. */
  close(): void {
    clearInterval(this.#sweep);
    // As `lost`, what is under way is not sent again.
    const error = new OutboundError('lost', 'The connection was closed here.');
    for (const connection of this.#all) connection.break(error);
  }

  #forget(origin: string, connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    const idle = this.#idle.get(origin);
    const index = idle?.indexOf(connection) ?? -1;
    if (idle && index >= 0) idle.splice(index, 1);
    if (idle?.length === 0) this.#idle.delete(origin);
  }

  #dropOld(): void {
    const now = performance.now();
    const old = [...this.#idle.values()].flat().filter(({ idleUntil }) => idleUntil <= now);
    for (const connection of old) connection.destroy();
    if (this.#idle.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
