/** The connection to the server: one client of the SDK for all pages. */
import { Drydock, type Fetch } from '@drydock/sdk';
import { Login } from './login.ts';

/** Signing in needs no access token. */
const anonymous = new Drydock({ baseUrl: location.origin, maxRetries: 0, timeoutMs: Infinity });

export const login = new Login(anonymous.auth);

/**
 * Sends a request again with a new access token when the server rejects its token with 401. When the sign-in has expired, the request waits
 * until the user has signed in again, so that forms do not lose what was typed.
 */
const fetchSignedIn: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  const headers = new Headers(init?.headers);
  const [, rejectedToken] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  if (response.status !== 401 || rejectedToken === undefined) return response;
  await response.body?.cancel();
  login.forget(rejectedToken);
  headers.set('authorization', `Bearer ${await login.getToken()}`);
  return fetch(url, { ...init, headers });
};

/** The SDK does not retry: the query cache does, and it also shows that the connection is lost. */
export const drydock = new Drydock({
  baseUrl: location.origin,
  accessToken: () => login.getToken(),
  fetch: fetchSignedIn,
  maxRetries: 0,
  timeoutMs: Infinity,
});
