import type { FastifyRequest } from 'fastify';
import type { UserScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { publicRoutes } from '../../platform/http/operations.ts';
import { clientAddress } from '../../platform/limits/client-address.ts';
import { listOrganizationLinks } from '../organizations/store.ts';
import { getUser } from '../users/store.ts';
import {
  LoginRequest,
  LoginResponse,
  LogoutResponse,
  RefreshRequest,
  RefreshResponse,
  SignupRequest,
} from './schema.ts';
import { type Caller, logIn, logOut, refreshLogin, type SignupRules, signUp } from './store.ts';

export function loginRoutes(db: Db, rules: SignupRules) {
  const { signer } = rules;
  return publicRoutes('Sign-in', (on) => {
    on.post(
      '/auth/signup',
      {
        id: 'signUp',
        summary: 'Create a user',
        description: 'Where sign-up is closed, `invitation_token` is needed.',
        body: SignupRequest,
        response: LoginResponse,
        status: 201,
      },
      async ({ request, body }) => {
        const { userId, ...tokens } = await signUp(db, rules, callerOf(request), body);
        return { ...tokens, user: await getUser(db, asUser(userId, request)) };
      },
    );

    on.post(
      '/auth/login',
      {
        id: 'logIn',
        summary: 'Log in with a password',
        description: 'With `invitation_token` the user also joins the organization that invited them.',
        body: LoginRequest,
        response: LoginResponse,
      },
      async ({ request, body }) => {
        const { userId, ...tokens } = await logIn(db, signer, callerOf(request), body);
        return { ...tokens, user: await getUser(db, asUser(userId, request)) };
      },
    );

    on.post(
      '/auth/refresh',
      {
        id: 'refreshLogin',
        summary: 'Exchange a refresh token for new tokens',
        description: 'A refresh token works once. Using it again ends the login and everything it gave out.',
        body: RefreshRequest,
        response: RefreshResponse,
      },
      async ({ request, body }) => {
        const { userId, ...tokens } = await refreshLogin(db, signer, request.id, body.refresh_token);
        const orgs = await listOrganizationLinks(db, userId);
        return { ...tokens, orgs, ...(orgs[0] && { default_org: orgs[0] }) };
      },
    );

    on.post(
      '/auth/logout',
      { id: 'logOut', summary: 'End a login', body: RefreshRequest, response: LogoutResponse },
      async ({ body }) => {
        await logOut(db, body.refresh_token);
        return { logged_out: true as const };
      },
    );
  });
}

export const callerOf = (request: FastifyRequest): Caller => ({
  requestId: request.id,
  address: clientAddress(request),
});

export function asUser(userId: string, request: FastifyRequest): UserScope {
  const principal = { userId, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  return { principal, requestId: request.id };
}
