/** Runs a call once however often it is sent, and returns the first response to its repetitions. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../db/connect.ts';
import type { RecordEffect } from '../db/transaction.ts';
import { ApiError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type SealedSecret, type Vault, VaultError } from '../secrets/envelope.ts';
import { uuidv7 } from '../uuid.ts';
import {
  type Claim,
  claim,
  findFirstCall,
  keepRunning,
  markEffect,
  release,
  responseOwner,
  storeResponse,
} from './store.ts';

const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')
  .optional()
  .describe('A repeated request with the same key and body gets the stored response for 24 hours');

export const idempotencyHeader = z.object({ 'idempotency-key': IdempotencyKey });

/** The same header in its usual spelling, for the documentation. */
export const documentedIdempotencyHeader = z.object({ 'Idempotency-Key': IdempotencyKey });

export interface KeyedCall {
  readonly userId: string;
  readonly method: string;
  /** Path of the request as sent, without the query. */
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
  readonly query: unknown;
}

export interface StoredResponse {
  readonly status: number;
  /** The serialized body of the response. */
  readonly text: string;
}

export interface SentResponse extends StoredResponse {
  readonly isReplayed: boolean;
}

export interface IdempotencyOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Log;
  /** Milliseconds between two heartbeats of a running call. */
  readonly heartbeatMs?: number;
}

/** Three heartbeats may be lost before the call counts as dead. */
const HEARTBEAT_MS = 30_000;
/** How often a row may vanish between two reads before that counts as a bug. */
const MAX_ATTEMPTS = 5;

export class Idempotency {
  private readonly db: Db;
  private readonly vault: Vault;
  private readonly log: Log;
  private readonly heartbeatMs: number;

  constructor({ db, vault, log, heartbeatMs = HEARTBEAT_MS }: IdempotencyOptions) {
    this.db = db;
    this.vault = vault;
    this.log = log;
    this.heartbeatMs = heartbeatMs;
  }

  /** @param work makes its changes in transactions that end with `recordEffect` */
  async run(
    call: KeyedCall,
    work: (recordEffect: RecordEffect) => Promise<StoredResponse>,
  ): Promise<SentResponse> {
    const mine: Claim = {
      userId: call.userId,
      requestHash: hash([call.method, call.path, call.key]),
      bodyHash: hash([call.body, call.query]),
      callId: uuidv7(),
    };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (await claim(this.db, mine)) return { ...(await this.runFirst(mine, work)), isReplayed: false };
      const response = await this.findStoredResponse(mine);
      if (response) return { ...response, isReplayed: true };
    }
    throw stillRunning();
  }

  private async runFirst(
    mine: Claim,
    work: (recordEffect: RecordEffect) => Promise<StoredResponse>,
  ): Promise<StoredResponse> {
    let response: StoredResponse;
    let isOver = false;
    try {
      const recordEffect: RecordEffect = async (trx) => {
        // Work that the call has left to run later is not part of it any more.
        if (isOver) return;
        if (!(await markEffect(trx, mine))) throw tookTooLong();
      };
      response = await this.keepAlive(mine, () => work(recordEffect));
    } catch (error) {
      await this.attempt('released', () => release(this.db, mine));
      throw error;
    } finally {
      isOver = true;
    }
    const sealed = this.vault.seal(response.text, responseOwner(mine.userId, mine.requestHash));
    await this.attempt('answered', () =>
      storeResponse(this.db, mine, { ...sealed, status: response.status }),
    );
    return response;
  }

  /** A call counts as dead only when its process is, however long it takes. */
  private async keepAlive<T>(mine: Claim, run: () => Promise<T>): Promise<T> {
    let beat = Promise.resolve();
    const timer = setInterval(() => {
      beat = beat.then(() => this.attempt('kept', () => keepRunning(this.db, mine)));
    }, this.heartbeatMs);
    try {
      return await run();
    } finally {
      clearInterval(timer);
      // Otherwise a late heartbeat would mark the call as running again.
      await beat;
    }
  }

  /** The outcome of the call is final here: a row that cannot be written must not turn it into a failure. */
  private async attempt(what: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.log.warn({ err: error }, `an idempotency key could not be ${what}`);
    }
  }

  private async findStoredResponse(mine: Claim): Promise<StoredResponse | undefined> {
    const first = await findFirstCall(this.db, mine);
    if (!first) return undefined;
    if (!first.body_hash.equals(mine.bodyHash)) {
      throw new ApiError(
        'conflict_error',
        'This Idempotency-Key was used for another body or other query parameters; send a new key for a new request.',
      );
    }
    const { status, key_id, wrapped_key, ciphertext } = first;
    if (status !== null && key_id && wrapped_key && ciphertext) {
      return { status, text: this.openResponse(mine, { key_id, wrapped_key, ciphertext }) };
    }
    if (first.is_running) throw stillRunning();
    // The call was lost without effect between the two reads: its key can be claimed.
    if (!first.took_effect) return undefined;
    throw responseLost();
  }

  private openResponse(mine: Claim, sealed: SealedSecret): string {
    try {
      return this.vault.open(sealed, responseOwner(mine.userId, mine.requestHash));
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      // The response is sealed with a secret key that is gone: the call took effect, but its response cannot be read.
      this.log.warn({ err: error }, 'a kept answer cannot be opened');
      throw responseLost();
    }
  }
}

const responseLost = () =>
  new ApiError(
    'conflict_error',
    'The first call with this Idempotency-Key took effect, but its answer was lost. Look at what it made or changed; ' +
      'send a new key only to do it once more.',
  );

const stillRunning = () =>
  new ApiError('conflict_error', 'The first call with this Idempotency-Key is still running; try again.', {
    headers: { 'retry-after': '1' },
  });

const tookTooLong = () =>
  new ApiError(
    'conflict_error',
    'This call took too long: a repetition of it has replaced it, and this call changed nothing.',
  );

function hash(values: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(values, sortKeys)).digest();
}

/** Sorts names, since their order in an object has no meaning. */
function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
