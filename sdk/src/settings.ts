/** Options of a client, completed from the environment. */
import { checkBaseUrl, checkHeaderValue, checkNumbers } from './option-checks.ts';
import type { Fetch, TransportOptions } from './transport.ts';

export interface ClientOptions {
  /** Address of Drydock, such as `https://drydock.example.com`; defaults to the environment's `DRYDOCK_URL`. */
  readonly baseUrl?: string | undefined;
  /** An API key, `dd_…`; defaults to the environment's `DRYDOCK_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The `access_token` of a login, instead of an API key; a function is called before each attempt. */
  readonly accessToken?: string | (() => string | Promise<string>) | undefined;
  /** Timeout of one attempt in milliseconds, from the first byte sent to the last one received. Default 60 s, Infinity for no limit. */
  readonly timeoutMs?: number;
  /** Maximum number of retries of a call with a temporary failure. Default 3, 0 for none. */
  readonly maxRetries?: number;
  /** Milliseconds before the second attempt, doubled for each later one. Default 500 ms. */
  readonly retryPauseMs?: number;
  /** Replacement of the global fetch, for a proxy or custom certificates. */
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

/** Returns undefined without a credential, since login and health need none. */
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

/** Browsers have no environment. */
function readEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}
