/** Sends one request with headers, timeouts, retries and error handling. */
import {
  connectionError,
  findRedirect,
  parseJson,
  toDrydockError,
  unexpectedResponse,
} from './error-responses.ts';
import { DrydockError } from './errors.ts';
import { checkHeaderValue, checkNumbers } from './option-checks.ts';
import { followRedirect } from './redirects.ts';
import { type Bytes, checkBytes, isStream, toPassedOnBody, toRequestBody } from './request-body.ts';
import { findPauseMs, hasNoResponse, pause } from './retries.ts';
import { orAborted, startTimer } from './time-limits.ts';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/api/v1`; `{name}` is replaced by a value. */
  readonly path: string;
  /** True for a POST that the server runs only once per `Idempotency-Key`. */
  readonly takesIdempotencyKey?: boolean;
  /** Response type other than JSON. */
  readonly accept?: string;
  /** Content type of a binary request body. */
  readonly upload?: string;
  /** True when the response may take minutes. */
  readonly isLong?: boolean;
  /** True when it redirects to an object, which needs no credential of ours. */
  readonly isRedirect?: boolean;
}

/** One request with its complete path. */
export interface Request extends Operation {
  /** Query string with its `?`, or empty. */
  readonly queryString?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Content of a forwarded request, whose response is returned unchanged. */
  readonly passedOn?: PassedOnInit;
}

/** Options like those of fetch. */
export interface PassedOnInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it is read. */
  readonly body?: string | Bytes;
  /** Default `follow`. */
  readonly redirect?: 'follow' | 'manual' | 'error';
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call at once; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Timeout per attempt, overrides the client's; Infinity for no limit. Uploads default to an hour. */
  readonly timeoutMs?: number;
  /** Overrides the client's number of retries. */
  readonly maxRetries?: number;
  /** Replaces the generated key, to be safe across restarts of your own program. Only for operations that take a key. */
  readonly idempotencyKey?: string;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly version: string;
  /** A function is called before each attempt. */
  readonly credential: string | (() => string | Promise<string>) | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryPauseMs: number;
  readonly fetch: Fetch;
}

const REPEATABLE = new Set(['GET', 'PUT', 'DELETE']);
/** Same as the server's time limit for uploads. */
const LONG_TIMEOUT_MS = 3_600_000;

export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** Returns the JSON or text of the response; undefined for an empty response. */
  send(request: Request, options: CallOptions = {}): Promise<unknown> {
    return this.#retry(request, options, readResponse);
  }

  /** Returns the response, or the object that it redirects to, with an unread body. */
  open(request: Request, options: CallOptions = {}): Promise<Response> {
    return this.#retry(request, options, (response) => response);
  }

  /** Sends the request once, since its effect on the receiver is unknown. */
  pass(request: Request, options: CallOptions = {}): Promise<Response> {
    checkCall(request, options);
    return this.#attempt(request, options, undefined, (response) => response);
  }

  /** Returns the current credential. */
  async credential(signal: AbortSignal): Promise<string | undefined> {
    const { credential: given } = this.options;
    const credential = typeof given === 'function' ? await orAborted(given, signal) : given;
    if (credential) checkHeaderValue('The value of accessToken', credential);
    return credential;
  }

  async #retry<T>(request: Request, options: CallOptions, read: Read<T>): Promise<T> {
    checkCall(request, options);
    const key = idempotencyKeyFor(request, options);
    const isRepeatable = (REPEATABLE.has(request.method) || key !== undefined) && !isStream(request.body);
    const { maxRetries = this.options.maxRetries } = options;
    let mayBeDone = false;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#attempt(request, options, key, read);
      } catch (error) {
        if (!(error instanceof DrydockError)) throw error;
        if (mayBeDone && isGone(request, error)) return await read(DONE, request);
        mayBeDone ||= hasNoResponse(error);
        const attempt = { isRepeatable, hasIdempotencyKey: key !== undefined, failures };
        const pauseMs = findPauseMs(attempt, error, this.options.retryPauseMs);
        if (pauseMs === undefined || failures > maxRetries) throw error;
        await pause(pauseMs, options.signal);
      }
    }
  }

  async #attempt<T>(
    request: Request,
    { signal, timeoutMs = isLong(request) ? LONG_TIMEOUT_MS : this.options.timeoutMs }: CallOptions,
    key: string | undefined,
    read: Read<T>,
  ): Promise<T> {
    const limit = new AbortController();
    const stopTimer = startTimer(timeoutMs, () => limit.abort());
    const within = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      const { contentType, init } = request.passedOn
        ? toPassedOnBody(request.passedOn)
        : toRequestBody(request.body, request.upload);
      const headers = await this.#headers(request, contentType, key, within);
      return await this.#exchange(request, { ...init, headers, signal: within }, read);
    } catch (error) {
      signal?.throwIfAborted();
      if (!limit.signal.aborted) throw error;
      const detail = `No complete response arrived within ${timeoutMs} ms.`;
      throw new DrydockError({ type: 'timeout_error', request: nameOf(request), detail, cause: error });
    } finally {
      stopTimer();
    }
  }

  /** Errors in here are not mistakes of the caller. */
  async #exchange<T>(request: Request, init: RequestInit, read: Read<T>): Promise<T> {
    const { baseUrl, fetch } = this.options;
    const { method, path, queryString = '', passedOn } = request;
    const name = nameOf(request);
    const url = baseUrl + path + queryString;
    try {
      if (passedOn) {
        const response = await fetch(url, {
          ...init,
          method: passedOn.method ?? method,
          redirect: passedOn.redirect ?? 'follow',
        });
        if (!response.ok && isOurs(response)) throw await toDrydockError(response, name);
        return await read(response, request);
      }
      const first = await fetch(url, { ...init, method, redirect: 'manual' });
      const response = request.isRedirect
        ? await followRedirect({ fetch, name, url, init, response: first })
        : first;
      const redirect = findRedirect(response, name);
      if (redirect) {
        await response.body?.cancel();
        throw redirect;
      }
      if (!response.ok) throw await toDrydockError(response, name);
      return await read(response, request);
    } catch (error) {
      throw error instanceof DrydockError ? error : connectionError(name, baseUrl, error);
    }
  }

  async #headers(
    request: Request,
    contentType: string | undefined,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<Record<string, string>> {
    const { version } = this.options;
    const credential = await this.credential(signal);
    return {
      ...request.passedOn?.headers,
      accept: request.passedOn?.headers?.accept ?? request.accept ?? 'application/json',
      'x-client-version': version,
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...request.headers,
    };
  }
}

/** Excludes responses of programs in a runtime. */
const isOurs = ({ headers, redirected }: Response) => !headers.has('x-drydock-port') && !redirected;

const isLong = (request: Request) => request.upload !== undefined || request.isLong === true;

const nameOf = ({ method, path }: Request) => `${method} ${path}`;

function checkCall(request: Request, options: CallOptions): void {
  checkNumbers(options, 'timeoutMs', 'maxRetries');
  if (options.idempotencyKey !== undefined) checkHeaderValue('idempotencyKey', options.idempotencyKey);
  if (request.upload !== undefined) checkBytes(request.body);
  // Any other character after the host would change the host, which would receive the credential.
  if (!request.path.startsWith('/')) throw new TypeError(`"${request.path}" must begin with "/".`);
}

/** Stands for the response of the attempt whose response was lost. */
const DONE = new Response(null, { status: 204 });

/** Returns whether our server itself reports that the resource to delete does not exist. */
const isGone = ({ method }: Request, { type, status }: DrydockError) =>
  method === 'DELETE' && status === 404 && type !== 'unexpected_answer_error';

type Read<T> = (response: Response, request: Request) => T | Promise<T>;

async function readResponse(response: Response, request: Request): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (request.accept !== undefined) return text;
  const body = parseJson(text);
  if (body !== undefined) return body;
  throw unexpectedResponse(response, nameOf(request), 'The response is not JSON.');
}

/** Returns one key for all attempts of a call, so that the server runs it once however often it arrives. */
function idempotencyKeyFor(request: Request, { idempotencyKey }: CallOptions): string | undefined {
  if (request.takesIdempotencyKey) return idempotencyKey ?? randomKey();
  if (idempotencyKey === undefined) return undefined;
  throw new TypeError(`${nameOf(request)} takes no idempotency key; leave idempotencyKey out.`);
}

/** crypto.randomUUID is missing on pages that are not served over HTTPS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
