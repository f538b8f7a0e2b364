/** Pieces of a response that a provider streams as server-sent events; subclasses parse the events of its API. */
import { createParser } from 'eventsource-parser';
import type { Share } from '../admission/budget.ts';
import type { ResponseBody } from '../net/response-body.ts';
import type { ChatCompletion, StreamPiece, TokenUsage } from './chat-model.ts';
import { type CalledProvider, toGarbageError } from './provider-errors.ts';
import { StreamIdleTimeout } from './stream-idle-timeout.ts';

/** Larger than any chunk of a chat, even with images. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** Providers report the usage after the last chunk. It is awaited even after the caller has disconnected, since it has to be charged. */
const USAGE_GRACE_MS = 1_000;

export interface PieceStreamOptions {
  readonly provider: CalledProvider;
  readonly id: string;
  /** Maximum wait for the next chunk; comments do not count. */
  readonly maxSilenceMs: number;
  readonly room: Share;
  /** Converts a connection error to the caller's error. */
  readonly toError: (error: unknown) => unknown;
}

/** A class instead of a generator, which could not be closed while it waits for the next chunk. */
export abstract class PieceStream implements AsyncIterableIterator<StreamPiece> {
  readonly #body: ResponseBody;
  readonly #options: PieceStreamOptions;
  readonly #silence: StreamIdleTimeout;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_BYTES,
    onEvent: ({ data }) => this.#take(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.fail(this.garbage('sent an event without an end'));
    },
  });
  #first: StreamPiece | undefined;
  /** Bytes of the incomplete event. */
  #eventBytes = 0;
  #chunks: ChatCompletion[] = [];
  #usage: TokenUsage | undefined;
  #outputLength = 0;
  #isFinished = false;
  #isDone = false;
  /** Thrown after everything before it was passed on. */
  #error: unknown;

  constructor(body: ResponseBody, options: PieceStreamOptions) {
    this.#body = body;
    this.#options = options;
    this.#silence = new StreamIdleTimeout(options.maxSilenceMs);
  }

  /** Parses the data of one event, and reports its meaning through the methods below. */
  protected abstract read(data: string): void;

  /** Resolves when there is something to pass on. */
  async begin(): Promise<void> {
    const { done, value } = await this.next();
    if (done) throw this.garbage('ended its stream before it said anything');
    this.#first = value;
  }

  async next(): Promise<IteratorResult<StreamPiece>> {
    for (;;) {
      const piece = this.#first ?? this.#collect();
      this.#first = undefined;
      if (piece) {
        this.#silence.contentReceived();
        return { done: false, value: piece };
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#isDone) return { done: true, value: undefined };
      await this.#fetch();
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

  protected add(chunk: ChatCompletion, outputLength: number): void {
    this.#outputLength += outputLength;
    this.#chunks.push(chunk);
  }

  protected get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Records that the model has reported its finish reason. */
  protected finish(): void {
    this.#isFinished = true;
    this.#body.graceMs = USAGE_GRACE_MS;
  }

  /** @param isFinal true when nothing else has to be awaited after the caller has disconnected */
  protected setUsage(usage: TokenUsage | undefined, isFinal: boolean): void {
    this.#usage = usage ?? this.#usage;
    if (isFinal) this.#body.graceMs = 0;
  }

  /** Records the regular end of the stream. */
  protected end(): void {
    this.#isDone = true;
  }

  protected garbage(what: string, received?: unknown): Error {
    return toGarbageError(this.#options.provider, what, received);
  }

  protected fail(error: unknown): void {
    this.#error ??= error;
  }

  async #fetch(): Promise<void> {
    try {
      this.#silence.startWaiting();
      const { done, value } = await this.#body.next();
      if (done) this.#close();
      else this.#feed(value);
    } catch (error) {
      this.fail(this.#options.toError(error));
    }
    if (this.#error !== undefined) await this.#body.return();
    else if (this.#isDone) this.#body.release();
  }

  #feed(bytes: Buffer): void {
    this.#eventBytes += bytes.length;
    const refusal = this.#options.room.take(this.#eventBytes);
    if (refusal) throw refusal;
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    const hasNews = this.#chunks.length > 0 || this.#usage !== undefined || this.#isDone;
    const silence = hasNews ? undefined : this.#silence.check(bytes.length);
    if (silence) throw silence;
  }

  #close(): void {
    // Some servers omit the blank line after their last event.
    if (this.#error === undefined) this.#parser.feed('\n\n');
    if (this.#isDone) return;
    this.#isDone = true;
    if (!this.#isFinished) this.fail(this.garbage('broke its stream off'));
  }

  #take(data: string): void {
    this.#eventBytes = 0;
    if (!this.#isDone && this.#error === undefined && data !== '') this.read(data);
  }

  #collect(): StreamPiece | undefined {
    if (this.#chunks.length === 0 && this.#usage === undefined) return undefined;
    const piece = {
      chunks: this.#chunks,
      usage: this.#usage,
      outputLength: this.#outputLength,
      isFinished: this.#isFinished,
    };
    this.#chunks = [];
    this.#usage = undefined;
    this.#outputLength = 0;
    return piece;
  }
}
