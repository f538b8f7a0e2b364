/** The checks of every request after its sender is known and before permissions are checked: 426, then 429. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../auth/principal.ts';
import { clientAddress } from './client-address.ts';
import { clientVersionCheck } from './client-version.ts';
import { type Allowance, rateLimitHeaders } from './rate-limit-lease.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RateClass } from './windows.ts';

export interface RequestCheckOptions {
  readonly limiter: RateLimiter;
  readonly minClientVersion: string | undefined;
}

export interface RequestToCheck {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** undefined if no credential is required. */
  readonly principal: Principal | undefined;
  /** undefined if the request is not counted. */
  readonly rateClass: RateClass | undefined;
}

/** Returns without a promise if a lease has requests left, which is the usual case. */
export type CheckRequest = (visit: RequestToCheck) => Promise<void> | undefined;

export function createRequestCheck({ limiter, minClientVersion }: RequestCheckOptions): CheckRequest {
  const requireVersion = clientVersionCheck(minClientVersion);
  return ({ request, reply, principal, rateClass }) => {
    requireVersion(request.headers['x-client-version']?.toString());
    const allowance = rateClass && limiter.spend(subjectOf(request, principal), rateClass);
    if (allowance instanceof Promise) return allowance.then((granted) => setRateLimitHeaders(reply, granted));
    if (allowance) setRateLimitHeaders(reply, allowance);
    return undefined;
  };
}

export function rateClassOf(method: string): RateClass {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

function subjectOf(request: FastifyRequest, principal: Principal | undefined): string {
  if (!principal) return `address:${clientAddress(request)}`;
  return principal.apiKey ? `key:${principal.apiKey.id}` : `user:${principal.userId}`;
}

function setRateLimitHeaders(reply: FastifyReply, allowance: Allowance): void {
  reply.headers(rateLimitHeaders(allowance));
}
