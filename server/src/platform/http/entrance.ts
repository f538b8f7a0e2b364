/** Authenticates the caller, checks its rate limit, and determines its permissions, in a fixed order. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCredential } from '../auth/credential.ts';
import {
  type AccountReader,
  type ArtifactAccess,
  type Caller,
  enterArtifact,
  enterOrganization,
  enterUser,
  enterWorkspace,
  type OrgAccess,
  type UserAccess,
  type WorkspaceAccess,
} from '../auth/gate.ts';
import { type CheckRequest, rateClassOf } from '../limits/request-checks.ts';
import type { Level, Operation } from './operations.ts';

export interface Entrance {
  /** Runs all checks; synchronously when everything is cached, as for most requests. */
  readonly enter: (request: FastifyRequest, reply: FastifyReply) => unknown;
  /** Checks identity and permissions only, since the request was already counted. */
  readonly enterAgain: (request: FastifyRequest) => unknown;
}

export function createEntrance(
  { reader, checkRequest }: { readonly reader: AccountReader; readonly checkRequest: CheckRequest },
  level: Level,
  { access, method, spec }: Operation,
): Entrance {
  const rateClass = spec.rateClass === 'unlimited' ? undefined : (spec.rateClass ?? rateClassOf(method));
  const { webSocketProtocol } = typeof spec.upgrades === 'object' ? spec.upgrades : {};
  if (level === 'public') {
    const enterAgain = (request: FastifyRequest) => ({ requestId: request.id });
    const enter = (request: FastifyRequest, reply: FastifyReply) =>
      after(checkRequest({ request, reply, principal: undefined, rateClass }), () => enterAgain(request));
    return { enter, enterAgain };
  }
  const check = (request: FastifyRequest, caller: Caller) => {
    const { org = '', workspace = '' } = request.params as PlaceParams;
    if (level === 'user') return enterUser(caller, request.id, access as UserAccess);
    if (level === 'organization') return enterOrganization(caller, request.id, org, access as OrgAccess);
    if (level === 'artifact') return enterArtifact(caller, request.id, org, access as ArtifactAccess);
    return enterWorkspace(caller, request.id, org, workspace, access as WorkspaceAccess);
  };
  const identify = (request: FastifyRequest) => {
    const { org, workspace } = request.params as PlaceParams;
    return reader.find(readCredential(request.headers, webSocketProtocol), org, workspace);
  };
  return {
    enter: (request, reply) =>
      after(identify(request), (caller) => {
        const { principal } = caller;
        return after(checkRequest({ request, reply, principal, rateClass }), () => check(request, caller));
      }),
    enterAgain: (request) => after(identify(request), (caller) => check(request, caller)),
  };
}

/** Runs in the same turn of the event loop when the value is available. */
function after<T, R>(value: T | Promise<T>, proceed: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}

interface PlaceParams {
  readonly org?: string;
  readonly workspace?: string;
}
