/** The connection to the server: one client of the SDK for all pages. */
import { Drydock, type Fetch } from '@drydock/sdk';
import { Login } from './login.ts';

/** For signing in, which needs no access token. */
const anonymous = new Drydock({ baseUrl: location.origin, maxRetries: 0, timeoutMs: Infinity });

export const login = new Login(anonymous.auth);

/**
 * A request that the server refuses because its access token is not valid any more waits for the next one, and is sent again. When the
 * sign-in has expired, that is after the user has signed in again, so that forms do not lose what was typed.
 */
const fetchSignedIn: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  const headers = new Headers(init?.headers);
  const [, refused] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  if (response.status !== 401 || refused === undefined) return response;
  await response.body?.cancel();
  login.forget(refused);
  headers.set('authorization', `Bearer ${await login.getToken()}`);
  return fetch(url, { ...init, headers });
};

/** Queries are repeated by the query cache, which shows that the connection is lost, and not by the SDK. */
export const drydock = new Drydock({
  baseUrl: location.origin,
  accessToken: () => login.getToken(),
  fetch: fetchSignedIn,
  maxRetries: 0,
  timeoutMs: Infinity,
});
