/** Sends one request as often as is right: headers, time limits, retries, errors. */
import {
  connectionError,
  findRedirect,
  parseJson,
  toDrydockError,
  unexpectedAnswer,
} from './error-answers.ts';
import { DrydockError } from './errors.ts';
import { checkHeaderValue, checkNumbers } from './option-checks.ts';
import { followRedirect } from './redirects.ts';
import { type Bytes, checkBytes, isStream, toPassedOnBody, toRequestBody } from './request-body.ts';
import { findPauseMs, isUnanswered, pause } from './retries.ts';
import { orAborted, startTimer } from './time-limits.ts';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/api/v1`; `{name}` stands for a value. */
  readonly path: string;
  /** A POST that the server does only once for each `Idempotency-Key`. */
  readonly takesIdempotencyKey?: boolean;
  /** What it answers, where that is not JSON. */
  readonly accept?: string;
  /** The type of the bytes that it takes, where its body is not JSON. */
  readonly upload?: string;
  /** The server may take minutes to answer. */
  readonly isLong?: boolean;
  /** It answers with where to go: to an object, which needs no credential of ours. */
  readonly isRedirect?: boolean;
}

/** One request, its path filled in. */
export interface Request extends Operation {
  /** With its `?`, or empty. */
  readonly queryString?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What it is sent with where it is passed on to somebody else, whose answer is none of ours, whatever it is. */
  readonly passedOn?: PassedOnInit;
}

/** As for fetch. */
export interface PassedOnInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it comes. */
  readonly body?: string | Bytes;
  /** `follow` unless said. */
  readonly redirect?: 'follow' | 'manual' | 'error';
}

/** What may be said with every call. */
export interface CallOptions {
  /** Ends the call at once; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For each attempt, instead of the client's; Infinity for no limit. An hour for uploads, unless said here. */
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
  /** A function is asked before each attempt. */
  readonly credential: string | (() => string | Promise<string>) | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryPauseMs: number;
  readonly fetch: Fetch;
}

const REPEATABLE = new Set(['GET', 'PUT', 'DELETE']);
/** As long as the server takes an upload for. */
const LONG_TIMEOUT_MS = 3_600_000;

export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** The answer's JSON or text; undefined when there is none. */
  send(request: Request, options: CallOptions = {}): Promise<unknown> {
    return this.#retry(request, options, readAnswer);
  }

  /** The answer, or the object that it leads to, with its body still to be read. */
  open(request: Request, options: CallOptions = {}): Promise<Response> {
    return this.#retry(request, options, (response) => response);
  }

  /** Once: what somebody else does with it is not known. */
  pass(request: Request, options: CallOptions = {}): Promise<Response> {
    checkCall(request, options);
    return this.#attempt(request, options, undefined, (response) => response);
  }

  /** As it is at this moment. */
  async credential(signal: AbortSignal): Promise<string | undefined> {
    const { credential: given } = this.options;
    const credential = typeof given === 'function' ? await orAborted(given, signal) : given;
    if (credential) checkHeaderValue('What accessToken gives', credential);
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
        mayBeDone ||= isUnanswered(error);
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
      const detail = `There was no whole answer within ${timeoutMs} ms.`;
      throw new DrydockError({ type: 'timeout_error', request: nameOf(request), detail, cause: error });
    } finally {
      stopTimer();
    }
  }

  /** Whatever fails in here is no mistake of the caller's. */
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

/** And not from what listens in a runtime. */
const isOurs = ({ headers, redirected }: Response) => !headers.has('x-drydock-port') && !redirected;

const isLong = (request: Request) => request.upload !== undefined || request.isLong === true;

const nameOf = ({ method, path }: Request) => `${method} ${path}`;

function checkCall(request: Request, options: CallOptions): void {
  checkNumbers(options, 'timeoutMs', 'maxRetries');
  if (options.idempotencyKey !== undefined) checkHeaderValue('idempotencyKey', options.idempotencyKey);
  if (request.upload !== undefined) checkBytes(request.body);
  // What else follows the host would name another one, which would be given the credential.
  if (!request.path.startsWith('/')) throw new TypeError(`"${request.path}" must begin with "/".`);
}

/** What the attempt whose answer was lost has answered. */
const DONE = new Response(null, { status: 204 });

/** Our server itself says that what was to be deleted is not there. */
const isGone = ({ method }: Request, { type, status }: DrydockError) =>
  method === 'DELETE' && status === 404 && type !== 'unexpected_answer_error';

type Read<T> = (response: Response, request: Request) => T | Promise<T>;

async function readAnswer(response: Response, request: Request): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (request.accept !== undefined) return text;
  const answer = parseJson(text);
  if (answer !== undefined) return answer;
  throw unexpectedAnswer(response, nameOf(request), 'The answer is not JSON.');
}

/** One for all attempts of a call, so that the server does it once however often it arrives. */
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
