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

export interface TurnLimits {
  /** How many turns one owner has at once, however much room there is; without it as many as fit. */
  readonly maxPerOwner?: number;
  /** What there is too much of, for who is told to come back. */
  readonly busy?: string;
}

/** A client that is told to come back is not told to come at once. */
const RETRY_SECONDS = 5;
const MAX_WAITING = 64;

export class Turns {
  readonly #room: number;
  readonly #maxPerOwner: number;
  readonly #busy: string;
  #taken = 0;
  /** How many turns each owner has. */
  readonly #held = new Map<string, number>();
  /** By owner; whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(room: number, limits: TurnLimits = {}) {
    this.#room = room;
    this.#maxPerOwner = limits.maxPerOwner ?? Number.POSITIVE_INFINITY;
    this.#busy = limits.busy ?? 'Too many data files are being read.';
  }

  /** @throws ApiError when too many wait, or for too long */
  async take<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    turn.signal.throwIfAborted();
    const { owner } = turn;
    const weight = Math.min(turn.weight ?? 1, this.#room);
    if (!this.#isAnyoneNext() && !this.#hasEnough(owner) && this.#fits(weight)) this.#begin(owner, weight);
    else await this.#wait(turn, weight);
    try {
      return await work();
    } finally {
      this.#end(owner, weight);
      this.#admit();
    }
  }

  #begin(owner: string, weight: number): void {
    this.#taken += weight;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
  }

  #end(owner: string, weight: number): void {
    this.#taken -= weight;
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }

  #fits(weight: number): boolean {
    return this.#taken + weight <= this.#room;
  }

  #hasEnough(owner: string): boolean {
    return (this.#held.get(owner) ?? 0) >= this.#maxPerOwner;
  }

  /** Who waits for a turn of their own to end keeps nobody else waiting. */
  #isAnyoneNext(): boolean {
    for (const owner of this.#waiting.keys()) if (!this.#hasEnough(owner)) return true;
    return false;
  }

  #wait({ owner, signal, maxWaitMs }: Turn, weight: number): Promise<void> {
    const queue = this.#waiting.get(owner) ?? [];
    const busy = () => tooMany(this.#busy);
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
      if (this.#hasEnough(owner)) continue;
      const [next] = queue;
      if (!next || !this.#fits(next.weight)) return;
      queue.shift();
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#begin(owner, next.weight);
      next.begin();
    }
  }
}

const tooMany = (what: string) =>
  new ApiError('usage_limit_exceeded_error', `${what} Try again in a moment.`, {
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
