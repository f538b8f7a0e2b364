/**
 * Sign-in of the web console. The refresh token is in a cookie that scripts cannot read and other sites cannot send; the page keeps the
 * access token in memory only.
 */
import type { FastifyRequest } from 'fastify';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import { API_PREFIX } from '../../platform/http/mount.ts';
import { publicRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { REFRESH_TOKEN_SECONDS } from '../tokens.ts';
import { getUser } from '../users/store.ts';
import { asUser, callerOf } from './routes.ts';
import { BrowserLogin, LoginRequest, LogoutResponse, SignupRequest } from './schema.ts';
import { continueLogin, logIn, logOut, type SignupRules, signUp } from './store.ts';

const COOKIE_NAME = 'drydock_login';

export function browserLoginRoutes(db: Db, rules: SignupRules, publicUrl: string) {
  const { signer } = rules;
  const attributes = `Path=${API_PREFIX}/auth/browser; HttpOnly; SameSite=Strict${publicUrl.startsWith('https:') ? '; Secure' : ''}`;
  const setCookie = (token: string, seconds: number) => ({
    'set-cookie': `${COOKIE_NAME}=${token}; Max-Age=${seconds}; ${attributes}`,
  });

  /** Returns the access token and the user in the body, and the refresh token in the cookie. */
  async function reply(request: FastifyRequest, signedIn: Awaited<ReturnType<typeof logIn>>) {
    const { userId, refresh_token, ...token } = signedIn;
    const value = { ...token, user: await getUser(db, asUser(userId, request)) };
    return Reply.withHeaders(value, setCookie(refresh_token, REFRESH_TOKEN_SECONDS));
  }

  return publicRoutes('Sign-in', (on) => {
    on.post(
      '/auth/browser/signup',
      {
        id: 'signUpInBrowser',
        summary: 'Create a user and sign in to the web console',
        description: 'As `signUp`, with the refresh token in a cookie.',
        body: SignupRequest,
        response: BrowserLogin,
        status: 201,
      },
      async ({ request, body }) => reply(request, await signUp(db, rules, callerOf(request), body)),
    );

    on.post(
      '/auth/browser/login',
      {
        id: 'logInInBrowser',
        summary: 'Sign in to the web console',
        description: 'As `logIn`, with the refresh token in a cookie that scripts cannot read.',
        body: LoginRequest,
        response: BrowserLogin,
      },
      async ({ request, body }) => reply(request, await logIn(db, signer, callerOf(request), body)),
    );

    on.post(
      '/auth/browser/refresh',
      {
        id: 'refreshInBrowser',
        summary: 'Get a new access token for the web console',
        description:
          'Needs the cookie of the sign-in. The cookie stays as it is, so that several tabs can share it.',
        response: BrowserLogin,
      },
      async ({ request }) => {
        const { userId, ...token } = await continueLogin(db, signer, requireCookie(request));
        return { ...token, user: await getUser(db, asUser(userId, request)) };
      },
    );

    on.post(
      '/auth/browser/logout',
      { id: 'logOutInBrowser', summary: 'Sign out of the web console', response: LogoutResponse },
      async ({ request }) => {
        const token = readCookie(request);
        if (token !== undefined) await logOut(db, token);
        return Reply.withHeaders({ logged_out: true as const }, setCookie('', 0));
      },
    );
  });
}

function requireCookie(request: FastifyRequest): string {
  const token = readCookie(request);
  if (token === undefined)
    throw new ApiError('authentication_error', 'This browser is not signed in. Sign in first.');
  return token;
}

/** Ignores the cookie in requests that another site caused, which also protects browsers that do not support `SameSite`. */
function readCookie({ headers }: FastifyRequest): string | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return undefined;
  return /(?:^|;\s*)drydock_login=([\w-]{1,200})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
}
