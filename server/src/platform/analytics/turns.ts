/**
 * Lets so much be done at once. Who does not fit waits: one of each owner after the other, so that who asks for a hundred
 * things does not keep out who asks for one.
 */
import { ApiError } from '../http/errors.ts';

export interface Turn {
  /** Whose it is. */
  readonly owner: string;
  /** Who waits is let go by it. */
  readonly signal: AbortSignal;
  /** How much of the room it takes, 1 unless said. What is larger than all of it goes alone. */
  readonly weight?: number;
  /** Who would wait longer is refused; without it nobody is. */
  readonly maxWaitMs?: number | undefined;
}

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** A client that is told to come back is not told to come at once. */
const RETRY_SECONDS = 5;
const MAX_WAITING = 64;

export class Turns {
  readonly #room: number;
  #taken = 0;
  /** By owner; whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(room: number) {
    this.#room = room;
  }

  /** @throws ApiError when too many wait, or for too long */
  async take<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    turn.signal.throwIfAborted();
    const weight = Math.min(turn.weight ?? 1, this.#room);
    if (this.#waiting.size === 0 && this.#fits(weight)) this.#taken += weight;
    else await this.#wait(turn, weight);
    try {
      return await work();
    } finally {
      this.#taken -= weight;
      this.#admit();
    }
  }

  #fits(weight: number): boolean {
    return this.#taken + weight <= this.#room;
  }

  #wait({ owner, signal, maxWaitMs }: Turn, weight: number): Promise<void> {
    const queue = this.#waiting.get(owner) ?? [];
    if (maxWaitMs !== undefined && queue.length >= MAX_WAITING) throw busy();
    this.#waiting.set(owner, queue);
    return new Promise((resolve, reject) => {
      const leave = (reason: Error) => {
        end();
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.#waiting.delete(owner);
        reject(reason);
        // It may have been the one that nobody fits behind.
        this.#admit();
      };
      const onAbort = () => leave(signal.reason as Error);
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(busy()), maxWaitMs);
      const end = () => {
        signal.removeEventListener('abort', onAbort);
        clearTimeout(timer);
      };
      const begin = () => {
        end();
        resolve();
      };
      const waiting = { weight, begin };
      queue.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Nobody overtakes who is next, or what is large would wait for ever. */
  #admit(): void {
    for (const [owner, queue] of this.#waiting) {
      const [next] = queue;
      if (!next || !this.#fits(next.weight)) return;
      queue.shift();
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#taken += next.weight;
      next.begin();
    }
  }
}

const busy = () =>
  new ApiError('usage_limit_exceeded_error', 'Too many data files are being read. Try again in a moment.', {
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
