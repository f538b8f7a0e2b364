/** Maps a provider's failure to the error for the caller, with no key in it. */
import { ApiError } from '../errors.ts';
import type { OutboundError } from '../net/outbound-error.ts';

export interface CalledProvider {
  /** Provider name chosen by the organization. */
  readonly name: string;
  readonly apiKey: string | undefined;
}

/** An unsuccessful response of a provider. */
export interface Refusal {
  readonly status: number;
  /** Raw value of the header. */
  readonly retryAfter: string | undefined;
  /** Header `X-Should-Retry`, by which some providers say whether a retry may help. */
  readonly shouldRetry?: string | undefined;
  /** Body, as far as it was read. */
  readonly text: string;
  /** True when the body was longer. */
  readonly isCut?: boolean;
}

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_RETRY_AFTER_SECONDS = 86_400;
const ADMIN = 'An admin of the organization can change that with PUT …/inference/providers.';

export function toRefusalError(provider: CalledProvider, refusal: Refusal): ApiError {
  const { status } = refusal;
  const message = toMessage(provider, refusal);
  const because = message === '' ? '.' : `: ${message}`;
  const who = `The provider ${provider.name}`;
  if ([400, 413, 415, 422].includes(status))
    return new ApiError('invalid_error', `${who} refused the request${because}`);
  if (status === 401 || status === 403) {
    const key = provider.apiKey === undefined ? 'wants an API key' : 'refused its API key';
    return new ApiError('bad_gateway_error', `${who} ${key}. ${ADMIN} It said ${status}${because}`);
  }
  if (status === 404) {
    const detail = `${who} has no such model, or nothing at its base_url. ${ADMIN} It said 404${because}`;
    return new ApiError('bad_gateway_error', detail);
  }
  if (status === 408 || status === 429) {
    const seconds = toRetryAfterSeconds(refusal.retryAfter);
    const headers = seconds === undefined ? {} : { 'Retry-After': String(seconds) };
    const detail = `${who} takes no more requests for now; try again later. It said ${status}${because}`;
    return new ApiError('usage_limit_exceeded_error', detail, { headers });
  }
  if (status >= 300 && status < 400) {
    const detail = `${who} redirects (${status}), and redirects are not followed: its base_url must be where it answers. ${ADMIN}`;
    return new ApiError('bad_gateway_error', detail);
  }
  const hint = status >= 500 ? ' Try again later.' : '';
  return new ApiError('bad_gateway_error', `${who} failed.${hint} It said ${status}${because}`);
}

/** Error for a provider that did not respond, or broke off in the middle. */
export function toNoResponseError({ name }: CalledProvider, error: OutboundError): ApiError {
  const cause = { cause: error };
  if (error.failure === 'timeout') {
    const detail = `The provider ${name} is too slow. ${error.message} Try again; an admin of the organization can give it more timeout_seconds.`;
    return new ApiError('gateway_timeout_error', detail, cause);
  }
  const next = {
    refused: `${ADMIN} Who runs this server can allow such addresses with DRYDOCK_ALLOW_PRIVATE_PROVIDERS=1.`,
    untrusted: ADMIN,
    unreachable: 'Try again later.',
    broken: 'Try again.',
    lost: 'Try again; what was asked may have been answered, and be paid for twice then.',
    garbage: 'Try again later.',
  }[error.failure];
  const detail = `The provider ${name} could not be called. ${error.message} ${next}`;
  const broken = `The provider ${name} gave no whole answer. ${error.message} ${next}`;
  const isBroken = ['broken', 'lost', 'garbage'].includes(error.failure);
  return new ApiError('bad_gateway_error', isBroken ? broken : detail, cause);
}

/** Error for a successful response that is not a model's response. */
export function toGarbageError(provider: CalledProvider, what: string, body?: unknown): ApiError {
  const message = cut(removeKey(findMessage(body) ?? '', provider.apiKey));
  const because = message === '' ? ' Try again later.' : ` It said: ${message}`;
  return new ApiError('bad_gateway_error', `The provider ${provider.name} ${what}.${because}`);
}

/** Returns whole seconds, for a header in a standard form. */
export function toRetryAfterSeconds(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  if (!Number.isFinite(seconds) || /^[+-]/.test(text)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, Math.ceil(seconds)));
}

/** Removes the key, including its encodings in URLs and headers. */
export function removeKey(text: string, apiKey: string | undefined): string {
  // Every spelling is at least as long as the key.
  if (!apiKey || text.length < apiKey.length) return text;
  return spell(apiKey).reduce((left, spelling) => left.replaceAll(spelling, '[API key]'), text);
}

/** Called for every response, so the spellings are computed once per provider. */
export function holdsKey(text: string, provider: CalledProvider): boolean {
  const { apiKey } = provider;
  if (!apiKey || text.length < apiKey.length) return false;
  let spellings = spellingsOf.get(provider);
  if (!spellings) {
    spellings = spell(apiKey);
    spellingsOf.set(provider, spellings);
  }
  return spellings.some((spelling) => text.includes(spelling));
}

const spellingsOf = new WeakMap<CalledProvider, readonly string[]>();

function spell(apiKey: string): readonly string[] {
  const json = JSON.stringify(apiKey).slice(1, -1);
  const base64 = Buffer.from(apiKey).toString('base64');
  return [...new Set([apiKey, json, json.replaceAll('/', '\\/'), encodeURIComponent(apiKey), base64])];
}

function toMessage({ apiKey }: CalledProvider, { text, isCut = false }: Refusal): string {
  const clean = removeKey(text, apiKey);
  // A truncated text may end with the first part of the key, in any spelling.
  const whole = isCut && apiKey ? clean.slice(0, -3 * apiKey.length) : clean;
  return cut(removeKey(findMessage(parse(whole)) ?? '', apiKey));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // HTML pages contain no useful message.
    return /^\s*</.test(text) ? undefined : text;
  }
}

/** Reads the common forms: `error.message`, `error`, `message`, `detail`, or the text itself. */
function findMessage(message: unknown, depth = 0): string | undefined {
  if (typeof message === 'string') return message.trim();
  if (typeof message !== 'object' || message === null || depth === MAX_DEPTH) return undefined;
  if (Array.isArray(message)) return findMessage(message[0], depth + 1);
  // Visits each value once, since a malicious provider may nest deeply.
  for (const name of MESSAGE_NAMES) {
    const found = findMessage(Reflect.get(message, name), depth + 1);
    if (found) return found;
  }
  return undefined;
}

const MESSAGE_NAMES = ['error', 'message', 'detail', 'msg'];
const MAX_DEPTH = 8;

function cut(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : text;
}
