/** The models of a provider that speaks as OpenAI does: what is asked and what is answered pass through. */
import type { ApiError } from '../../errors.ts';
import type { AnswerBody } from '../../net/answer-body.ts';
import type { GuardedClient, OutboundAnswer } from '../../net/guarded-client.ts';
import { OutboundError } from '../../net/outbound-error.ts';
import type { ChatCall, ChatModel, StreamPiece, WholeAnswer } from '../chat-model.ts';
import {
  type CalledProvider,
  toGarbageError,
  toRefusalError,
  toUnansweredError,
} from '../provider-errors.ts';
import { type FailedTry, tryRepeatedly, waitAfterFailure, waitAfterRefusal } from '../retries.ts';
import { toUpstreamId } from '../upstream-id.ts';
import { AnswerStream } from './answer-stream.ts';
import { type Outline, outline } from './outline.ts';
import { withId } from './own-id.ts';
import { findUsage } from './usage.ts';

export interface OpenAICompatibleProvider extends CalledProvider {
  /** What comes before `/chat/completions`. */
  readonly baseUrl: string;
  /** Until the first byte, between any two, and between any two events of a stream that say something. */
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_REFUSAL_MS = 5_000;
const MAX_CONNECT_MS = 10_000;

interface ReadyRequest {
  /** A text goes out in one write with its head. */
  readonly body: string;
  readonly isStreamed: boolean;
}

export class OpenAICompatibleModel implements ChatModel {
  readonly #client: GuardedClient;
  readonly #provider: OpenAICompatibleProvider;
  readonly #url: URL;
  readonly #headers: Readonly<Record<'whole' | 'streamed', Readonly<Record<string, string>>>>;

  constructor(client: GuardedClient, provider: OpenAICompatibleProvider) {
    this.#client = client;
    this.#provider = provider;
    this.#url = new URL(`${provider.baseUrl.replace(/\/+$/, '')}/chat/completions`);
    this.#headers = {
      whole: headersOf(provider, 'application/json'),
      streamed: headersOf(provider, 'text/event-stream'),
    };
  }

  async complete(call: ChatCall): Promise<WholeAnswer> {
    const { request } = call;
    const answer = await this.#send(call, {
      body: request.stream ? JSON.stringify({ ...request, stream: false }) : textOf(call),
      isStreamed: false,
    });
    // Most come with their head: what is there is not waited for.
    const bytes = answer.body.takeWhole(MAX_ANSWER_BYTES) ?? (await this.#readWhole(call, answer.body));
    const found = outline(bytes);
    if (found?.choiceCount === undefined) throw this.#toGarbage(bytes, found);
    const usage =
      found.usage && findUsage(JSON.parse(bytes.toString('utf8', found.usage.start, found.usage.end)));
    const upstreamId = this.#findId(bytes, found);
    return {
      body: withId(bytes, found, JSON.stringify(call.id)),
      usage,
      outputLength: found.outputLength,
      upstreamId,
    };
  }

  async stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>> {
    const { signal, room } = call;
    const given = toObject(call.request.stream_options);
    const { headers, body } = await this.#send(call, { body: textOfStream(call, given), isStreamed: true });
    if (/^application\/json\b/i.test(String(headers['content-type']))) {
      const bytes = await this.#readWhole(call, body);
      throw this.#toGarbage(bytes, outline(bytes), 'did not stream its answer');
    }
    const answer = new AnswerStream(body, {
      provider: this.#provider,
      id: call.id,
      isUsageWanted: given.include_usage === true,
      maxSilenceMs: this.#provider.timeoutMs,
      room,
      // Not the call: what was asked may be large, and the answer may take hours.
      toError: (error) => this.#toError(signal, error),
    });
    await answer.begin();
    return answer;
  }

  /** Resolves with an answer that is a success; tried again as long as nothing of one has come. */
  #send(call: ChatCall, ready: ReadyRequest): Promise<OutboundAnswer> {
    return tryRepeatedly(this.#provider.timeoutMs, call.signal, (leftMs) => this.#try(call, ready, leftMs));
  }

  async #try(
    call: ChatCall,
    { body, isStreamed }: ReadyRequest,
    leftMs: number,
  ): Promise<OutboundAnswer | FailedTry> {
    const { timeoutMs } = this.#provider;
    try {
      const answer = await this.#client.send({
        url: this.#url,
        method: 'POST',
        headers: isStreamed ? this.#headers.streamed : this.#headers.whole,
        body,
        patience: { connect: Math.min(MAX_CONNECT_MS, leftMs), firstByte: leftMs, idle: timeoutMs },
        signal: call.signal,
      });
      return answer.status >= 200 && answer.status < 300 ? answer : await this.#refused(call, answer);
    } catch (error) {
      return { error: this.#toError(call.signal, error), waitMs: waitAfterFailure(error) };
    }
  }

  async #refused(call: ChatCall, { status, headers, body }: OutboundAnswer): Promise<FailedTry> {
    const { text, isCut } = await readStart(body);
    call.signal.throwIfAborted();
    const shouldRetry = headers['x-should-retry']?.toString();
    const refusal = { status, retryAfter: headers['retry-after']?.toString(), shouldRetry, text, isCut };
    return { error: toRefusalError(this.#provider, refusal), waitMs: waitAfterRefusal(refusal) };
  }

  async #readWhole(call: ChatCall, body: AnswerBody): Promise<Buffer> {
    try {
      return await body.whole((length) =>
        length > MAX_ANSWER_BYTES
          ? toGarbageError(this.#provider, 'answered more than 64 MiB')
          : call.room.take(length),
      );
    } catch (error) {
      throw this.#toError(call.signal, error);
    }
  }

  /** A success in its status, and no chat completion. */
  #toGarbage(
    bytes: Buffer,
    found: Outline | undefined,
    what = 'answered something that is no chat completion',
  ): ApiError {
    if (!found?.error) return toGarbageError(this.#provider, what);
    const { start, end } = found.error;
    return toGarbageError(this.#provider, 'failed', JSON.parse(bytes.toString('utf8', start, end)));
  }

  /** What the provider calls the answer, where it can be told in a header. */
  #findId(bytes: Buffer, { ids }: Outline): string | undefined {
    const [last] = ids.slice(-1);
    const id: unknown = last && JSON.parse(bytes.toString('utf8', last.start, last.end));
    return toUpstreamId(this.#provider, id);
  }

  #toError(signal: AbortSignal, error: unknown): unknown {
    if (signal.aborted) return signal.reason;
    return error instanceof OutboundError ? toUnansweredError(this.#provider, error) : error;
  }
}

/** Frozen: they are put into text once. */
const headersOf = ({ apiKey }: OpenAICompatibleProvider, accept: string) =>
  Object.freeze({
    'content-type': 'application/json',
    accept,
    'user-agent': 'drydock',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  });

const textOf = ({ text, request }: ChatCall) => text ?? JSON.stringify(request);

/** Asks for the usage with it, whether or not the caller does. */
function textOfStream({ text, request }: ChatCall, options: Readonly<Record<string, unknown>>): string {
  const isAsked = request.stream === true;
  if (text && isAsked && options.include_usage === true) return text;
  if (text && isAsked && request.stream_options === undefined) {
    const end = text.lastIndexOf('}');
    return `${text.slice(0, end)},"stream_options":{"include_usage":true}${text.slice(end)}`;
  }
  return JSON.stringify({ ...request, stream: true, stream_options: { ...options, include_usage: true } });
}

/** Of a refusal, for its message; whatever goes wrong with it. */
async function readStart(body: AnswerBody): Promise<{ text: string; isCut: boolean }> {
  const pieces: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => void body.return(), MAX_REFUSAL_MS);
  try {
    for (let next = await body.next(); !next.done && length < MAX_REFUSAL_BYTES; next = await body.next()) {
      pieces.push(next.value);
      length += next.value.length;
    }
  } catch {
    // The status says enough.
  } finally {
    clearTimeout(timer);
  }
  body.release();
  const text = Buffer.concat(pieces).toString('utf8', 0, Math.min(length, MAX_REFUSAL_BYTES));
  return { text, isCut: length >= MAX_REFUSAL_BYTES };
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
