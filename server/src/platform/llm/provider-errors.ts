/** What a provider's failure is to whoever called its model: the mapped error, with no key in it. */
import { ApiError } from '../errors.ts';
import type { OutboundError } from '../net/outbound-error.ts';

export interface CalledProvider {
  /** As its organization named it. */
  readonly name: string;
  readonly apiKey: string | undefined;
}

/** A provider's answer that is no success. */
export interface Refusal {
  readonly status: number;
  /** The header, as it came. */
  readonly retryAfter: string | undefined;
  /** The header `X-Should-Retry`, by which some say whether another try may help. */
  readonly shouldRetry?: string | undefined;
  /** Of the body, as much as was read. */
  readonly text: string;
  /** Whether there was more. */
  readonly isCut?: boolean;
}

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_RETRY_AFTER_SECONDS = 86_400;
const ADMIN = 'An admin of the organization can change that with PUT …/inference/providers.';

export function toRefusalError(provider: CalledProvider, refusal: Refusal): ApiError {
  const { status } = refusal;
  const said = toMessage(provider, refusal);
  const because = said === '' ? '.' : `: ${said}`;
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

/** Where it gave no answer, or broke off in the middle. */
export function toUnansweredError({ name }: CalledProvider, error: OutboundError): ApiError {
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

/** Where it answered, and not what a model answers. */
export function toGarbageError(provider: CalledProvider, what: string, said?: unknown): ApiError {
  const message = cut(removeKey(findMessage(said) ?? '', provider.apiKey));
  const because = message === '' ? ' Try again later.' : ` It said: ${message}`;
  return new ApiError('bad_gateway_error', `The provider ${provider.name} ${what}.${because}`);
}

/** Whole seconds until then, where it was said in a form that HTTP knows. */
export function toRetryAfterSeconds(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  if (!Number.isFinite(seconds) || /^[+-]/.test(text)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(0, Math.ceil(seconds)));
}

/** Also as it may be written in an address or a header. */
export function removeKey(text: string, apiKey: string | undefined): string {
  // Every spelling is as long as the key at least.
  if (!apiKey || text.length < apiKey.length) return text;
  return spell(apiKey).reduce((left, spelling) => left.replaceAll(spelling, '[API key]'), text);
}

/** The same question for every answer: its spellings are made once, and go with the provider. */
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
  // Where it was cut, it may end with the first part of the key, however that is written.
  const whole = isCut && apiKey ? clean.slice(0, -3 * apiKey.length) : clean;
  return cut(removeKey(findMessage(parse(whole)) ?? '', apiKey));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A page for people says nothing here.
    return /^\s*</.test(text) ? undefined : text;
  }
}

/** In the forms that are in use: `error.message`, `error`, `message`, `detail`, or the text itself. */
function findMessage(said: unknown, depth = 0): string | undefined {
  if (typeof said === 'string') return said.trim();
  if (typeof said !== 'object' || said === null || depth === MAX_DEPTH) return undefined;
  if (Array.isArray(said)) return findMessage(said[0], depth + 1);
  // Each is looked at once: what a hostile provider nests may be deep.
  for (const name of MESSAGE_NAMES) {
    const found = findMessage(Reflect.get(said, name), depth + 1);
    if (found) return found;
  }
  return undefined;
}

const MESSAGE_NAMES = ['error', 'message', 'detail', 'msg'];
const MAX_DEPTH = 8;

function cut(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : text;
}
