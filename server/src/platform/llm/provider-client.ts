/** Requests to one model provider: with its key, timeouts, retries, and errors that name it without its key. */
import type { Share } from '../admission/budget.ts';
import type { GuardedClient, OutboundResponse } from '../net/guarded-client.ts';
import { OutboundError } from '../net/outbound-error.ts';
import type { ResponseBody } from '../net/response-body.ts';
import { type CalledProvider, toGarbageError, toNoResponseError, toRefusalError } from './provider-errors.ts';
import { type FailedTry, tryRepeatedly, waitAfterFailure, waitAfterRefusal } from './retries.ts';

export interface ReachedProvider extends CalledProvider {
  /** Timeout for the first byte, between two chunks of bytes, and between two events of a stream that are not comments. */
  readonly timeoutMs: number;
}

interface Post {
  readonly url: URL;
  /** Headers, including the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_REFUSAL_MS = 5_000;
const MAX_CONNECT_MS = 10_000;

export class ProviderClient {
  readonly #client: GuardedClient;
  readonly #provider: ReachedProvider;

  constructor(client: GuardedClient, provider: ReachedProvider) {
    this.#client = client;
    this.#provider = provider;
  }

  /** Resolves with a successful response. Retries as long as no part of one has arrived. */
  post(post: Post): Promise<OutboundResponse> {
    return tryRepeatedly(this.#provider.timeoutMs, post.signal, (leftMs) => this.#try(post, leftMs));
  }

  async readText(
    { signal, room }: { readonly signal: AbortSignal; readonly room: Share },
    body: ResponseBody,
  ): Promise<string> {
    try {
      const bytes = await body.whole((length) =>
        length > MAX_RESPONSE_BYTES
          ? toGarbageError(this.#provider, 'sent more than 64 MiB')
          : room.take(length),
      );
      return new TextDecoder().decode(bytes);
    } catch (error) {
      throw this.toError(signal, error);
    }
  }

  /** Converts a connection error to the caller's error. */
  toError(signal: AbortSignal, error: unknown): unknown {
    if (signal.aborted) return signal.reason;
    return error instanceof OutboundError ? toNoResponseError(this.#provider, error) : error;
  }

  async #try({ url, headers, body, signal }: Post, leftMs: number): Promise<OutboundResponse | FailedTry> {
    const { timeoutMs } = this.#provider;
    try {
      const response = await this.#client.send({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'drydock', ...headers },
        body,
        timeouts: { connect: Math.min(MAX_CONNECT_MS, leftMs), firstByte: leftMs, idle: timeoutMs },
        signal,
      });
      return response.status >= 200 && response.status < 300
        ? response
        : await this.#refused(signal, response);
    } catch (error) {
      return { error: this.toError(signal, error), waitMs: waitAfterFailure(error) };
    }
  }

  async #refused(signal: AbortSignal, { status, headers, body }: OutboundResponse): Promise<FailedTry> {
    const { text, isCut } = await readStart(body);
    signal.throwIfAborted();
    const shouldRetry = headers['x-should-retry']?.toString();
    const refusal = { status, retryAfter: headers['retry-after']?.toString(), shouldRetry, text, isCut };
    return { error: toRefusalError(this.#provider, refusal), waitMs: waitAfterRefusal(refusal) };
  }
}

/** Reads the start of an error response for its message. A failure to read it is ignored, since the status is enough. */
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
    // Uses the part that has arrived.
  } finally {
    clearTimeout(timer);
  }
  body.release();
  const text = Buffer.concat(chunks).toString('utf8', 0, Math.min(length, MAX_REFUSAL_BYTES));
  return { text, isCut: length >= MAX_REFUSAL_BYTES };
}
