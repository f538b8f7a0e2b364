/** The chunks of a streamed answer, passed on under our id. */
import type { Share } from '../../memory-room.ts';
import type { AnswerBody } from '../../net/answer-body.ts';
import type { StreamPiece, TokenUsage } from '../chat-model.ts';
import { type CalledProvider, toGarbageError } from '../provider-errors.ts';
import { SilenceWatch } from '../silence-watch.ts';
import { EventReader, EventTooLongError } from './event-reader.ts';
import { type Beginning, outline } from './outline.ts';
import { partsWithId } from './own-id.ts';
import { findUsage } from './usage.ts';

const BEFORE = Buffer.from('data: ');
const AFTER = Buffer.from('\n\n');
const NOTHING = Buffer.alloc(0);
/** After its last word a model says what it took, also to a caller who has left: that is to be paid. */
const USAGE_GRACE_MS = 1_000;

interface StreamOptions {
  readonly provider: CalledProvider;
  readonly id: string;
  /** Whether the caller asked for the chunk that tells it. */
  readonly isUsageWanted: boolean;
  /** Until it has to say something. */
  readonly maxSilenceMs: number;
  readonly room: Share;
  /** What an error of the connection is to the caller. */
  readonly toError: (error: unknown) => unknown;
}

export class AnswerStream implements AsyncIterableIterator<StreamPiece> {
  readonly #body: AnswerBody;
  readonly #options: StreamOptions;
  readonly #id: Buffer;
  readonly #silence: SilenceWatch;
  readonly #reader = new EventReader((data, isOneLine) => this.#take(data, isOneLine));
  #first: StreamPiece | undefined;
  #beginning: Beginning | undefined;
  /** One with our id, as it is passed on. */
  #ownBeginning: { readonly of: Beginning; readonly bytes: Buffer } | undefined;
  #bytes: Buffer[] = [];
  #usage: TokenUsage | undefined;
  #outputLength = 0;
  #isFinished = false;
  #isDone = false;
  /** What ends it once all before is passed on. */
  #error: unknown;

  constructor(body: AnswerBody, options: StreamOptions) {
    this.#body = body;
    this.#options = options;
    this.#id = Buffer.from(JSON.stringify(options.id));
    this.#silence = new SilenceWatch(options.maxSilenceMs);
  }

  /** Resolves when there is something to pass on. */
  async begin(): Promise<void> {
    const { done, value } = await this.next();
    if (done) throw toGarbageError(this.#options.provider, 'ended its stream before it said anything');
    this.#first = value;
  }

  async next(): Promise<IteratorResult<StreamPiece>> {
    const first = this.#first;
    if (first) {
      this.#first = undefined;
      return { done: false, value: first };
    }
    for (;;) {
      const piece = this.#collect();
      if (piece) {
        this.#silence.heardWord();
        return { done: false, value: piece };
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#isDone) return { done: true, value: undefined };
      try {
        const waited = this.#body.arrival();
        if (waited) {
          this.#silence.expectWord();
          await waited;
        }
        const value = this.#body.takeArrived();
        if (value) this.#feed(value);
        else this.#end();
      } catch (error) {
        this.#fail(this.#toError(error));
      }
      if (this.#isDone) this.#body.release();
      else if (this.#error !== undefined) await this.#body.return();
    }
  }

  async return(): Promise<IteratorResult<StreamPiece>> {
    this.#isDone = true;
    await this.#body.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #feed(value: Buffer): void {
    // With the event that it may end, which is in memory until its reader has it.
    const refusal = this.#options.room.take(this.#reader.heldBytes + value.length);
    if (refusal) throw refusal;
    this.#reader.feed(value);
    const hasNews = this.#bytes.length > 0 || this.#usage !== undefined || this.#isDone;
    const silence = hasNews ? undefined : this.#silence.judge(value.length);
    if (silence) throw silence;
  }

  #toError(error: unknown): unknown {
    if (error instanceof EventTooLongError) return this.#garbage('sent an event without an end');
    return this.#options.toError(error);
  }

  #end(): void {
    this.#reader.end();
    if (this.#isDone) return;
    this.#isDone = true;
    if (!this.#isFinished) this.#fail(this.#garbage('broke its stream off'));
  }

  #take(data: Buffer, isOneLine: boolean): void {
    if (this.#isDone || this.#error !== undefined || data.length === 0) return;
    if (isDoneMark(data)) {
      this.#isDone = true;
      return;
    }
    const expected = this.#beginning;
    const chunk = outline(data, expected);
    if (!chunk) return this.#fail(this.#garbage('sent something that is no chunk of a chat completion'));
    this.#beginning = chunk.beginning;
    if (chunk.error && !chunk.choiceCount) {
      const said: unknown = JSON.parse(data.toString('utf8', chunk.error.start, chunk.error.end));
      return this.#fail(this.#garbage('failed in the middle of its answer', said));
    }
    this.#outputLength += chunk.outputLength;
    this.#isFinished ||= chunk.isFinished;
    if (chunk.usage) {
      this.#usage =
        findUsage(JSON.parse(data.toString('utf8', chunk.usage.start, chunk.usage.end))) ?? this.#usage;
      this.#body.graceMs = 0;
      if (!chunk.choiceCount && !this.#options.isUsageWanted) return;
    } else if (this.#isFinished) this.#body.graceMs = USAGE_GRACE_MS;
    if (isOneLine && expected && chunk.beginning === expected && chunk.ids.length === expected.ids.length)
      return this.#passOnFrom(expected, data);
    const parts = partsWithId(data, chunk, this.#id);
    if (isOneLine) this.#bytes.push(BEFORE, ...parts, AFTER);
    else this.#bytes.push(BEFORE, toLines(Buffer.concat(parts)), AFTER);
  }

  /** All ids are in its beginning, which is that of the one before. */
  #passOnFrom(beginning: Beginning, data: Buffer): void {
    if (this.#ownBeginning?.of !== beginning) {
      const parts = partsWithId(beginning.bytes, beginning, this.#id);
      this.#ownBeginning = { of: beginning, bytes: Buffer.concat([BEFORE, ...parts]) };
    }
    this.#bytes.push(this.#ownBeginning.bytes, data.subarray(beginning.bytes.length), AFTER);
  }

  /** All that is to be passed on, or told. */
  #collect(): StreamPiece | undefined {
    if (this.#bytes.length === 0 && this.#usage === undefined) return undefined;
    const bytes = this.#bytes.length > 0 ? Buffer.concat(this.#bytes) : NOTHING;
    const piece = {
      bytes,
      usage: this.#usage,
      outputLength: this.#outputLength,
      isFinished: this.#isFinished,
    };
    this.#bytes = [];
    this.#usage = undefined;
    this.#outputLength = 0;
    return piece;
  }

  #garbage(what: string, said?: unknown): Error {
    return toGarbageError(this.#options.provider, what, said);
  }

  #fail(error: unknown): void {
    this.#error ??= error;
  }
}

function isDoneMark(data: Buffer): boolean {
  return data[0] === 0x5b && data.toString('latin1', 0, 20).trim() === '[DONE]';
}

/** Data of several lines is sent as several lines. */
function toLines(data: Buffer): Buffer {
  return Buffer.from(data.toString('latin1').replaceAll('\n', '\ndata: '), 'latin1');
}
