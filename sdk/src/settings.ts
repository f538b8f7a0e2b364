/** What a client is told when it is made, completed from the environment. */
import { checkBaseUrl, checkHeaderValue, checkNumbers } from './option-checks.ts';
import type { Fetch, TransportOptions } from './transport.ts';

export interface ClientOptions {
  /** Where Drydock is, such as `https://drydock.example.com`; else the environment's `DRYDOCK_URL`. */
  readonly baseUrl?: string | undefined;
  /** An API key, `dd_…`; else the environment's `DRYDOCK_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The `access_token` of a login, instead of an API key; a function is asked before each attempt. */
  readonly accessToken?: string | (() => string | Promise<string>) | undefined;
  /** For one attempt, from the first byte sent to the last one received. 60 s unless given, Infinity for no limit. */
  readonly timeoutMs?: number;
  /** How often a call that failed for a passing reason is sent again. 3 unless given, 0 for never. */
  readonly maxRetries?: number;
  /** The pause before the second attempt, doubled for each one after it. 500 ms unless given. */
  readonly retryPauseMs?: number;
  /** Instead of the global one, for a proxy or certificates of your own. */
  readonly fetch?: Fetch;
}

export function toTransportOptions(
  options: ClientOptions,
  version: string,
  environment: Environment = readEnvironment(),
): TransportOptions {
  checkNumbers(options, 'timeoutMs', 'maxRetries', 'retryPauseMs');
  return {
    baseUrl: checkBaseUrl(options.baseUrl ?? environment['DRYDOCK_URL']),
    version,
    credential: findCredential(options, environment),
    timeoutMs: options.timeoutMs ?? 60_000,
    maxRetries: options.maxRetries ?? 3,
    retryPauseMs: options.retryPauseMs ?? 500,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  };
}

/** Undefined is fine: logging in and the state of health need none. */
function findCredential(
  { apiKey, accessToken }: ClientOptions,
  environment: Environment,
): TransportOptions['credential'] {
  if (apiKey !== undefined && accessToken !== undefined) {
    throw new TypeError('Give either apiKey or accessToken, not both.');
  }
  if (typeof accessToken === 'function') return accessToken;
  const credential = accessToken ?? apiKey ?? environment['DRYDOCK_API_KEY'];
  if (credential) checkHeaderValue(accessToken === undefined ? 'apiKey' : 'accessToken', credential);
  return credential || undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Browsers have none. */
function readEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}
