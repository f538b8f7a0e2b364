/**
 * Operations as data. A domain declares them in groups; the group says where they are mounted, and with that who may
 * reach them: `publicRoutes`, `userRoutes`, `orgRoutes`, `workspaceRoutes`. There is no other way to add a route.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OrgAccess, UserAccess, WorkspaceAccess } from '../auth/gate.ts';
import type { OrgScope, UserScope, WorkspaceScope } from '../auth/principal.ts';
import type { EventStreamId } from '../events/event-log.ts';

export type Level = 'public' | 'user' | 'organization' | 'workspace';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Spec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  A extends z.ZodType,
> {
  /** The operationId. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer?: A;
  /** 200 unless said; 204 where there is no answer. */
  readonly status?: 200 | 201;
  /** Of an answer that is text and not JSON. */
  readonly contentType?: string;
  readonly bodyLimitBytes?: number;
  /** Counted as sending in bulk; else GETs are reads and everything else is a write. */
  readonly rateClass?: 'ingest';
  /** Never refused for being asked often. */
  readonly unlimited?: boolean;
  /** Takes `Idempotency-Key`; unless said, POSTs of organizations and workspaces do. */
  readonly idempotency?: boolean;
}

/** An operation that answers with the events of a resource, as they come. */
export interface EventSpec<P extends z.ZodObject, Q extends z.ZodObject>
  extends Pick<Spec<P, Q, z.ZodType, z.ZodType>, 'id' | 'summary' | 'description' | 'params' | 'query'> {
  /** The data of each type of event. */
  readonly events: EventTypes;
}

export type EventTypes = Readonly<Record<string, z.ZodType>>;

export interface Call<S, P, Q, B> {
  readonly scope: S;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
}

export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly spec: Spec<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>;
  readonly events?: EventTypes;
  readonly access: unknown;
  readonly handler: (call: Call<never, never, never, never>) => unknown;
}

export interface RouteGroup {
  readonly level: Level;
  readonly tag: string;
  readonly operations: readonly Operation[];
}

type Nothing = z.ZodObject<Record<never, never>>;

type Declare<S, Access> = <
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodType = z.ZodUndefined,
  A extends z.ZodType = z.ZodVoid,
>(
  path: string,
  spec: Spec<P, Q, B, A> & Access,
  handler: (call: Call<S, z.output<P>, z.output<Q>, z.output<B>>) => z.output<A> | Promise<z.output<A>>,
) => void;

/** The handler says whose events they are. It is asked again while the stream is open, and ends it by throwing. */
type DeclareEvents<S, Access> = <P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  path: string,
  spec: EventSpec<P, Q> & Access,
  handler: (call: Call<S, z.output<P>, z.output<Q>, undefined>) => EventStreamId | Promise<EventStreamId>,
) => void;

interface Verbs<S, Access> {
  readonly get: Declare<S, Access>;
  readonly events: DeclareEvents<S, Access>;
  readonly post: Declare<S, Access>;
  readonly put: Declare<S, Access>;
  readonly patch: Declare<S, Access>;
  readonly delete: Declare<S, Access>;
}

function routeGroup<S, Access>(level: Level) {
  return (tag: string, declare: (on: Verbs<S, Access>) => void): RouteGroup => {
    const operations: Operation[] = [];
    const verb =
      (method: Method): Declare<S, Access> =>
      (path, spec, handler) => {
        operations.push({ method, path, spec, access: spec, handler });
      };
    declare({
      get: verb('GET'),
      events: (path, spec, handler) => {
        operations.push({ method: 'GET', path, spec, events: spec.events, access: spec, handler });
      },
      post: verb('POST'),
      put: verb('PUT'),
      patch: verb('PATCH'),
      delete: verb('DELETE'),
    });
    return { level, tag, operations };
  };
}

/** For anyone, without a credential. */
export const publicRoutes = routeGroup<{ readonly requestId: string }, object>('public');

/** For a signed-in user, about themselves. */
export const userRoutes = routeGroup<UserScope, UserAccess>('user');

/** Under /org/{org}: for its members. */
export const orgRoutes = routeGroup<OrgScope, OrgAccess>('organization');

/** Under /org/{org}/ws/{workspace}: for those who see that workspace. */
export const workspaceRoutes = routeGroup<WorkspaceScope, WorkspaceAccess>('workspace');

/** What a level puts before each of its paths. */
export const LEVELS: Record<Level, { readonly prefix: string; readonly params: z.ZodObject }> = {
  public: { prefix: '', params: z.object({}) },
  user: { prefix: '', params: z.object({}) },
  organization: { prefix: '/org/:org', params: z.object({ org: z.string().describe('Organization slug') }) },
  workspace: {
    prefix: '/org/:org/ws/:workspace',
    params: z.object({
      org: z.string().describe('Organization slug'),
      workspace: z.string().describe('Workspace slug'),
    }),
  },
};
