/** Sends one request as often as is right: headers, time limits, retries, errors. */
import { connectionError, parseJson, toDrydockError, unexpectedAnswer } from './error-answers.ts';
import { DrydockError } from './errors.ts';
import { findPauseMs, pause } from './retries.ts';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/api/v1`; `{name}` stands for a value. */
  readonly path: string;
  /** A POST that the server does only once for each `Idempotency-Key`. */
  readonly takesIdempotencyKey?: boolean;
  /** What it answers, where that is not JSON. */
  readonly accept?: string;
}

/** One request, its path filled in. */
export interface Request extends Operation {
  /** With its `?`, or empty. */
  readonly queryString?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What may be said with every call. */
export interface CallOptions {
  /** Ends the call at once; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For each attempt, instead of the client's. */
  readonly timeoutMs?: number;
  /** Instead of the client's. */
  readonly maxRetries?: number;
  /** Instead of a generated one, to be safe across restarts of your own program. Only where the server takes one. */
  readonly idempotencyKey?: string;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly version: string;
  readonly credential: (() => string | Promise<string>) | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryPauseMs: number;
  readonly fetch: Fetch;
}

const REPEATABLE = new Set(['GET', 'PUT', 'DELETE']);

export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** The answer's JSON or text; undefined when there is none. */
  send(request: Request, options: CallOptions = {}): Promise<unknown> {
    return this.#retry(request, options, readAnswer);
  }

  /** The answer with its body still to be read. */
  open(request: Request, options: CallOptions = {}): Promise<Response> {
    return this.#retry(request, options, (response) => response);
  }

  async #retry<T>(request: Request, options: CallOptions, read: Read<T>): Promise<T> {
    const key = idempotencyKeyFor(request, options);
    const isRepeatable = REPEATABLE.has(request.method) || key !== undefined;
    const { maxRetries = this.options.maxRetries } = options;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#attempt(request, options, key, read);
      } catch (error) {
        if (!(error instanceof DrydockError) || failures > maxRetries) throw error;
        const attempt = { isRepeatable, hasIdempotencyKey: key !== undefined, failures };
        const pauseMs = findPauseMs(attempt, error, this.options.retryPauseMs);
        if (pauseMs === undefined) throw error;
        await pause(pauseMs, options.signal);
      }
    }
  }

  async #attempt<T>(
    request: Request,
    { signal, timeoutMs = this.options.timeoutMs }: CallOptions,
    key: string | undefined,
    read: Read<T>,
  ): Promise<T> {
    const { baseUrl, fetch } = this.options;
    const name = `${request.method} ${request.path}`;
    const headers = await this.#headers(request, key);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const response = await fetch(baseUrl + request.path + (request.queryString ?? ''), {
        method: request.method,
        headers,
        body,
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      if (!response.ok) throw await toDrydockError(response, name);
      return await read(response, request);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DrydockError) throw error;
      if (!limit.signal.aborted) throw connectionError(name, baseUrl, error);
      const detail = `There was no whole answer within ${timeoutMs} ms.`;
      throw new DrydockError({ type: 'timeout_error', request: name, detail, cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #headers(request: Request, key: string | undefined): Promise<Record<string, string>> {
    const credential = await this.options.credential?.();
    return {
      accept: request.accept ?? 'application/json',
      'x-client-version': this.options.version,
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...request.headers,
    };
  }
}

type Read<T> = (response: Response, request: Request) => T | Promise<T>;

async function readAnswer(response: Response, { method, path, accept }: Request): Promise<unknown> {
  const text = await response.text();
  if (response.status === 204) return undefined;
  if (accept !== undefined) return text;
  const answer = parseJson(text);
  if (answer !== undefined) return answer;
  throw unexpectedAnswer(response, `${method} ${path}`, 'The answer is not JSON.');
}

/** One for all attempts of a call, so that the server does it once however often it arrives. */
function idempotencyKeyFor(request: Request, { idempotencyKey }: CallOptions): string | undefined {
  if (request.takesIdempotencyKey) return idempotencyKey ?? randomKey();
  if (idempotencyKey === undefined) return undefined;
  throw new TypeError(
    `${request.method} ${request.path} takes no idempotency key; leave idempotencyKey out.`,
  );
}

/** crypto.randomUUID is missing on pages that are not served over HTTPS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
