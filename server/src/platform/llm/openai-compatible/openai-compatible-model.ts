/** The models of a provider that speaks OpenAI's protocol: request and response pass through. */
import type { ApiError } from '../../errors.ts';
import type { GuardedClient, OutboundResponse } from '../../net/guarded-client.ts';
import { OutboundError } from '../../net/outbound-error.ts';
import type { ResponseBody } from '../../net/response-body.ts';
import type { ChatCall, ChatModel, ChatRequest, ChatResponse, StreamPiece } from '../chat-model.ts';
import {
  type CalledProvider,
  toGarbageError,
  toRefusalError,
  toUnansweredError,
} from '../provider-errors.ts';
import { type FailedTry, tryRepeatedly, waitAfterFailure, waitAfterRefusal } from '../retries.ts';
import { toUpstreamId } from '../upstream-id.ts';
import { outputLengthOf, parseObject, toCompletion } from './completion.ts';
import { CompletionStream } from './completion-stream.ts';
import { findUsage } from './usage.ts';

export interface OpenAICompatibleProvider extends CalledProvider {
  /** Everything before `/chat/completions`. */
  readonly baseUrl: string;
  /** Until the first byte, between two chunks of bytes, and between two events of a stream that are not comments. */
  readonly timeoutMs: number;
}

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_REFUSAL_MS = 5_000;
const MAX_CONNECT_MS = 10_000;

export class OpenAICompatibleModel implements ChatModel {
  readonly #client: GuardedClient;
  readonly #provider: OpenAICompatibleProvider;
  readonly #url: URL;

  constructor(client: GuardedClient, provider: OpenAICompatibleProvider) {
    this.#client = client;
    this.#provider = provider;
    this.#url = new URL(`${provider.baseUrl.replace(/\/+$/, '')}/chat/completions`);
  }

  async complete(call: ChatCall): Promise<ChatResponse> {
    const request = call.request.stream ? { ...call.request, stream: false } : call.request;
    const { body } = await this.#send(call, request);
    const fields = parseObject(await this.#readText(call, body));
    const completion = fields && toCompletion(fields, call.id);
    if (!completion) throw this.#toGarbage(fields);
    return {
      completion,
      usage: findUsage(completion.usage),
      outputLength: outputLengthOf(completion),
      upstreamId: toUpstreamId(this.#provider, fields['id']),
    };
  }

  async stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>> {
    const { request, signal, room } = call;
    const asked = toObject(request['stream_options']);
    const options = { ...asked, include_usage: true };
    const { headers, body } = await this.#send(call, { ...request, stream: true, stream_options: options });
    if (/^application\/json\b/i.test(String(headers['content-type']))) {
      const fields = parseObject(await this.#readText(call, body));
      throw this.#toGarbage(fields, 'did not stream its response');
    }
    const stream = new CompletionStream(body, {
      provider: this.#provider,
      id: call.id,
      isUsageWanted: asked['include_usage'] === true,
      maxSilenceMs: this.#provider.timeoutMs,
      room,
      // Holds the signal and not the call: the request may be large, and the response may take hours.
      toError: (error) => this.#toError(signal, error),
    });
    await stream.begin();
    return stream;
  }

  /** Resolves with a successful response. Tries again as long as no part of one has arrived. */
  #send({ signal }: ChatCall, request: ChatRequest): Promise<OutboundResponse> {
    const body = JSON.stringify(request);
    const accept = request.stream ? 'text/event-stream' : 'application/json';
    return tryRepeatedly(this.#provider.timeoutMs, signal, (leftMs) =>
      this.#try(signal, { body, accept, leftMs }),
    );
  }

  async #try(
    signal: AbortSignal,
    { body, accept, leftMs }: { readonly body: string; readonly accept: string; readonly leftMs: number },
  ): Promise<OutboundResponse | FailedTry> {
    const { apiKey, timeoutMs } = this.#provider;
    try {
      const response = await this.#client.send({
        url: this.#url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept,
          'user-agent': 'drydock',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body,
        timeouts: { connect: Math.min(MAX_CONNECT_MS, leftMs), firstByte: leftMs, idle: timeoutMs },
        signal,
      });
      return response.status >= 200 && response.status < 300
        ? response
        : await this.#refused(signal, response);
    } catch (error) {
      return { error: this.#toError(signal, error), waitMs: waitAfterFailure(error) };
    }
  }

  async #refused(signal: AbortSignal, { status, headers, body }: OutboundResponse): Promise<FailedTry> {
    const { text, isCut } = await readStart(body);
    signal.throwIfAborted();
    const shouldRetry = headers['x-should-retry']?.toString();
    const refusal = { status, retryAfter: headers['retry-after']?.toString(), shouldRetry, text, isCut };
    return { error: toRefusalError(this.#provider, refusal), waitMs: waitAfterRefusal(refusal) };
  }

  async #readText(call: ChatCall, body: ResponseBody): Promise<string> {
    try {
      const bytes = await body.whole((length) =>
        length > MAX_RESPONSE_BYTES
          ? toGarbageError(this.#provider, 'sent more than 64 MiB')
          : call.room.take(length),
      );
      return new TextDecoder().decode(bytes);
    } catch (error) {
      throw this.#toError(call.signal, error);
    }
  }

  /** Describes a response whose status is a success, and that is not a chat completion. */
  #toGarbage(
    fields: Readonly<Record<string, unknown>> | undefined,
    what = 'sent something that is not a chat completion',
  ): ApiError {
    return fields?.['error']
      ? toGarbageError(this.#provider, 'failed', fields['error'])
      : toGarbageError(this.#provider, what);
  }

  #toError(signal: AbortSignal, error: unknown): unknown {
    if (signal.aborted) return signal.reason;
    return error instanceof OutboundError ? toUnansweredError(this.#provider, error) : error;
  }
}

/** Reads the start of an error response for its message. A failure to read it does not matter: the status says enough. */
async function readStart(body: ResponseBody): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => void body.return(), MAX_REFUSAL_MS);
  try {
    for (let next = await body.next(); !next.done && length < MAX_REFUSAL_BYTES; next = await body.next()) {
      chunks.push(next.value);
      length += next.value.length;
    }
  } catch {
    // The part that has arrived is used.
  } finally {
    clearTimeout(timer);
  }
  body.release();
  const text = Buffer.concat(chunks).toString('utf8', 0, Math.min(length, MAX_REFUSAL_BYTES));
  return { text, isCut: length >= MAX_REFUSAL_BYTES };
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
