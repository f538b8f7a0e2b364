/** What every request passes once it is known who sends it, and before it is asked what they may do: 426, then 429. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../auth/principal.ts';
import { clientAddress } from './client-address.ts';
import { clientVersionCheck } from './client-version.ts';
import { type Allowance, rateLimitHeaders } from './lease.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { RateClass } from './windows.ts';

export interface AdmissionOptions {
  readonly limiter: RateLimiter;
  readonly minClientVersion: string | undefined;
}

export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** undefined where no credential is asked for. */
  readonly principal: Principal | undefined;
  /** undefined where nothing is counted. */
  readonly rateClass: RateClass | undefined;
}

/** Done at once where requests are at hand, as they are for most. */
export type Admit = (visit: Visit) => Promise<void> | undefined;

export function createAdmission({ limiter, minClientVersion }: AdmissionOptions): Admit {
  const requireVersion = clientVersionCheck(minClientVersion);
  return ({ request, reply, principal, rateClass }) => {
    requireVersion(request.headers['x-client-version']?.toString());
    const allowance = rateClass && limiter.spend(subjectOf(request, principal), rateClass);
    if (allowance instanceof Promise) return allowance.then((granted) => tell(reply, granted));
    if (allowance) tell(reply, allowance);
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

function tell(reply: FastifyReply, allowance: Allowance): void {
  reply.headers(rateLimitHeaders(allowance));
}
