/**
 * MCP servers that this process has started. They are kept for a while, because starting one takes longer than most of its tools. Each runs
 * in the sandbox of its runtime and ends after some idle minutes, when its capability changes, and with this process.
 */
import { ApiError } from '../../../platform/errors.ts';
import type { McpConnection } from './connection.ts';

const IDLE_MS = 5 * 60_000;
const MAX_CONNECTIONS = 256;
/** Limit per sandbox, so that no tenant uses up the capacity of others. */
const MAX_PER_SANDBOX = 16;

/** State from which the server was started; if it differs, another server is started. */
export interface ServerKey {
  readonly sandboxId: string;
  readonly bindingId: string;
  /** State of the binding, which changes with it. */
  readonly state: string;
  readonly server: string;
}

interface Kept {
  readonly key: ServerKey;
  readonly opening: Promise<McpConnection>;
  /** Set once the connection is open. */
  connection: McpConnection | undefined;
  users: number;
  usedAt: number;
  idle: NodeJS.Timeout | undefined;
}

export class McpConnections {
  readonly #kept = new Map<string, Kept>();
  readonly #idleMs: number | undefined;
  #isClosed = false;

  /** @param idleMs idle time after which a server is ended; undefined keeps it until `close` */
  constructor({ idleMs }: { readonly idleMs: number | undefined } = { idleMs: IDLE_MS }) {
    this.#idleMs = idleMs;
  }

  /** @param open starts the server if it does not run */
  async use<T>(
    key: ServerKey,
    open: () => Promise<McpConnection>,
    work: (connection: McpConnection) => Promise<T>,
  ): Promise<T> {
    const kept = this.#take(key, open);
    kept.users += 1;
    clearTimeout(kept.idle);
    try {
      return await work(await kept.opening);
    } finally {
      kept.users -= 1;
      kept.usedAt = performance.now();
      if (!kept.connection?.isOpen) this.#forget(kept);
      else if (kept.users === 0 && this.#idleMs !== undefined)
        kept.idle = setTimeout(() => void this.#end(kept), this.#idleMs).unref();
    }
  }

  /** Ends all servers of a binding. */
  async drop(bindingId: string): Promise<void> {
    const all = [...this.#kept.values()].filter(({ key }) => key.bindingId === bindingId);
    await Promise.all(all.map((kept) => this.#end(kept)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#kept.values()].map((kept) => this.#end(kept)));
  }

  #take(key: ServerKey, open: () => Promise<McpConnection>): Kept {
    const found = this.#kept.get(nameOf(key));
    if (found?.key.state === key.state && (!found.connection || found.connection.isOpen)) return found;
    if (found) void this.#end(found);
    if (this.#isClosed) throw new ApiError('conflict_error', 'The server is being stopped; try again.');
    this.#makeRoom(key.sandboxId);
    const opening = open();
    const kept: Kept = {
      key,
      opening,
      connection: undefined,
      users: 0,
      usedAt: performance.now(),
      idle: undefined,
    };
    opening.then((connection) => (kept.connection = connection)).catch(() => this.#forget(kept));
    this.#kept.set(nameOf(key), kept);
    return kept;
  }

  #makeRoom(sandboxId: string): void {
    const all = [...this.#kept.values()];
    const ofSandbox = all.filter(({ key }) => key.sandboxId === sandboxId);
    if (ofSandbox.length >= MAX_PER_SANDBOX) this.#endOldest(ofSandbox, `${MAX_PER_SANDBOX} of this runtime`);
    else if (all.length >= MAX_CONNECTIONS) this.#endOldest(all, `${MAX_CONNECTIONS} of this host`);
  }

  #endOldest(among: readonly Kept[], all: string): void {
    const [oldest] = among.filter(({ users }) => users === 0).toSorted((a, b) => a.usedAt - b.usedAt);
    if (!oldest) {
      const detail = `MCP servers, ${all}, are in use at this moment, and no more can be; try again when one has answered.`;
      throw new ApiError('sandbox_provider_rate_limit_error', detail);
    }
    void this.#end(oldest);
  }

  async #end(kept: Kept): Promise<void> {
    this.#forget(kept);
    await kept.opening.then(
      (connection) => connection.close(),
      () => undefined,
    );
  }

  #forget(kept: Kept): void {
    clearTimeout(kept.idle);
    const name = nameOf(kept.key);
    if (this.#kept.get(name) === kept) this.#kept.delete(name);
  }
}

const nameOf = ({ sandboxId, bindingId, server }: ServerKey) =>
  JSON.stringify([sandboxId, bindingId, server]);
