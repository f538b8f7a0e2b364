/** The chunks of a streamed completion, under our id. */
import { createParser } from 'eventsource-parser';
import type { Share } from '../../memory-room.ts';
import type { ResponseBody } from '../../net/response-body.ts';
import type { ChatCompletion, StreamPiece, TokenUsage } from '../chat-model.ts';
import { type CalledProvider, toGarbageError } from '../provider-errors.ts';
import { SilenceWatch } from '../silence-watch.ts';
import { isFinished, outputLengthOf, parseObject, toCompletion } from './completion.ts';
import { findUsage } from './usage.ts';

/** More than any chunk of a chat, with images in it. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** A provider reports the usage after the last chunk. It is waited for after the caller has left, since it has to be paid. */
const USAGE_GRACE_MS = 1_000;

interface StreamOptions {
  readonly provider: CalledProvider;
  readonly id: string;
  /** Whether the caller asked for the chunk that reports the usage. */
  readonly isUsageWanted: boolean;
  /** Longest wait for the next chunk; comments do not count. */
  readonly maxSilenceMs: number;
  readonly room: Share;
  /** Makes the caller's error of a connection's error. */
  readonly toError: (error: unknown) => unknown;
}

/** A class and not a generator: a generator could not be left while it waits for the next chunk. */
export class CompletionStream implements AsyncIterableIterator<StreamPiece> {
  readonly #body: ResponseBody;
  readonly #options: StreamOptions;
  readonly #silence: SilenceWatch;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_BYTES,
    onEvent: ({ data }) => this.#take(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.#fail(this.#garbage('sent an event without an end'));
    },
  });
  #first: StreamPiece | undefined;
  /** Bytes of the event that has not ended yet. */
  #eventBytes = 0;
  #chunks: ChatCompletion[] = [];
  #usage: TokenUsage | undefined;
  #outputLength = 0;
  #isFinished = false;
  #isDone = false;
  /** Thrown after everything before it was passed on. */
  #error: unknown;

  constructor(body: ResponseBody, options: StreamOptions) {
    this.#body = body;
    this.#options = options;
    this.#silence = new SilenceWatch(options.maxSilenceMs);
  }

  /** Resolves when there is something to pass on. */
  async begin(): Promise<void> {
    const { done, value } = await this.next();
    if (done) throw this.#garbage('ended its stream before it said anything');
    this.#first = value;
  }

  async next(): Promise<IteratorResult<StreamPiece>> {
    for (;;) {
      const piece = this.#first ?? this.#collect();
      this.#first = undefined;
      if (piece) {
        this.#silence.heardWord();
        return { done: false, value: piece };
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#isDone) return { done: true, value: undefined };
      await this.#read();
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

  async #read(): Promise<void> {
    try {
      this.#silence.expectWord();
      const { done, value } = await this.#body.next();
      if (done) this.#end();
      else this.#feed(value);
    } catch (error) {
      this.#fail(this.#options.toError(error));
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
    const silence = hasNews ? undefined : this.#silence.judge(bytes.length);
    if (silence) throw silence;
  }

  #end(): void {
    // Some servers leave out the blank line after their last event.
    if (this.#error === undefined) this.#parser.feed('\n\n');
    if (this.#isDone) return;
    this.#isDone = true;
    if (!this.#isFinished) this.#fail(this.#garbage('broke its stream off'));
  }

  #take(data: string): void {
    this.#eventBytes = 0;
    if (this.#isDone || this.#error !== undefined || data === '') return;
    if (data.trim() === '[DONE]') {
      this.#isDone = true;
      return;
    }
    const fields = parseObject(data);
    if (!fields) return this.#fail(this.#garbage('sent something that is not a chunk of a chat completion'));
    const { id } = this.#options;
    const chunk = toCompletion(fields, id) ?? { ...fields, id, choices: [] };
    if (fields['error'] && chunk.choices.length === 0)
      return this.#fail(this.#garbage('failed in the middle of its response', fields['error']));
    return this.#pass(chunk);
  }

  #pass(chunk: ChatCompletion): void {
    this.#outputLength += outputLengthOf(chunk);
    this.#isFinished ||= isFinished(chunk);
    const { usage } = chunk;
    if (usage === undefined || usage === null) {
      if (this.#isFinished) this.#body.graceMs = USAGE_GRACE_MS;
    } else {
      this.#usage = findUsage(usage) ?? this.#usage;
      this.#body.graceMs = 0;
      if (chunk.choices.length === 0 && !this.#options.isUsageWanted) return;
    }
    this.#chunks.push(chunk);
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

  #garbage(what: string, said?: unknown): Error {
    return toGarbageError(this.#options.provider, what, said);
  }

  #fail(error: unknown): void {
    this.#error ??= error;
  }
}
