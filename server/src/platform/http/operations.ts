/**
 * Operations as data. A domain declares them in groups; the group says where they are mounted, and with that who may
 * reach them: `publicRoutes`, `userRoutes`, `orgRoutes`, `workspaceRoutes`, and `artifactRoutes` for what strangers may
 * read when it is public. There is no other way to add a route.
 */
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ArtifactAccess, OrgAccess, UserAccess, WorkspaceAccess } from '../auth/gate.ts';
import type { OrgScope, UserScope, WorkspaceScope } from '../auth/principal.ts';
import type { EventFeed } from '../events/event-log.ts';

export type Level = 'public' | 'user' | 'organization' | 'artifact' | 'workspace';
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
  /**
   * 200 unless said; 204 where there is no answer. With 302 the answer is where to go, and is sent as `Location`.
   */
  readonly status?: 200 | 201 | 302;
  /** Of a 201: what is asked for may be there already. The handler then answers with `existing(…)`, which is a 200. */
  readonly mayExist?: boolean;
  /** The body is no JSON but bytes of this type, which the handler reads from `call.upload`. */
  readonly upload?: Upload;
  /** Of an answer that is text: it is sent as it is. */
  readonly contentType?: string;
  readonly bodyLimitBytes?: number;
  /** Counted as sending in bulk; else GETs are reads and everything else is a write. */
  readonly rateClass?: 'ingest';
  /** Never refused for being asked often. */
  readonly unlimited?: boolean;
  /** May take minutes to answer, so that clients have to wait longer than they do elsewhere. */
  readonly long?: true;
  /** Takes `Idempotency-Key`; unless said, POSTs of organizations and workspaces do. */
  readonly idempotency?: boolean;
}

export interface Upload {
  readonly contentType: string;
  readonly maxBytes: number;
}

/** An operation that answers with the events of a resource, as they come. */
export interface EventSpec<P extends z.ZodObject, Q extends z.ZodObject>
  extends Pick<Spec<P, Q, z.ZodType, z.ZodType>, 'id' | 'summary' | 'description' | 'params' | 'query'> {
  /** The data of each type of event. */
  readonly events: EventTypes;
}

/** A GET that answers with a document of JSON in pieces, as they are made and as its reader takes them. */
export interface StreamSpec<P extends z.ZodObject, Q extends z.ZodObject>
  extends Pick<
    Spec<P, Q, z.ZodType, z.ZodType>,
    'id' | 'summary' | 'description' | 'params' | 'query' | 'long'
  > {
  /** What the whole of it is, for the document: the pieces are sent as they are. */
  readonly answer: z.ZodType;
}

export type EventTypes = Readonly<Record<string, z.ZodType>>;

export interface Call<S, P, Q, B> {
  readonly scope: S;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
  /** The bytes of the body, for operations that declare `upload`; fails as 400 beyond its bound. */
  readonly upload: Readable;
  /** Passes the entrance again: for who has just read a body that may have taken an hour to arrive. */
  readonly stillAllowed: () => Promise<void>;
}

/** The answer of an operation that would have created what is there already. */
export class Existing<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

export const existing = <Answer>(answer: Answer) => new Existing(answer);

export interface Operation {
  readonly method: Method;
  /** May end in `/*path`: the rest of the URL, slashes included, is then the parameter `path`. */
  readonly path: string;
  readonly spec: Spec<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>;
  readonly events?: EventTypes;
  /** The handler answers with pieces of text. */
  readonly isStreamed?: true;
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
  handler: (
    call: Call<S, z.output<P>, z.output<Q>, z.output<B>>,
  ) => Answered<z.output<A>> | Promise<Answered<z.output<A>>>,
) => void;

type Answered<Answer> = Answer | Existing<Answer>;

/** The handler says whose events they are. It is asked again while the stream is open, and ends it by throwing. */
type DeclareEvents<S, Access> = <P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  path: string,
  spec: EventSpec<P, Q> & Access,
  handler: (call: Call<S, z.output<P>, z.output<Q>, undefined>) => EventFeed | Promise<EventFeed>,
) => void;

/** What fails before the first piece is answered as in any operation; what fails later cuts the answer off. */
type DeclareStream<S, Access> = <P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  path: string,
  spec: StreamSpec<P, Q> & Access,
  handler: (
    call: Call<S, z.output<P>, z.output<Q>, undefined>,
  ) => AsyncIterable<string> | Promise<AsyncIterable<string>>,
) => void;

interface Verbs<S, Access> {
  readonly get: Declare<S, Access>;
  readonly stream: DeclareStream<S, Access>;
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
      stream: (path, spec, handler) => {
        operations.push({ method: 'GET', path, spec, isStreamed: true, access: spec, handler });
      },
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

/**
 * Under /org/{org}, for anyone who is signed in: `scope.role` is null for who is no member. Then the operation answers for
 * what is public only, and with the same 404 for what is private, for what is not there, and for an organization that is not.
 */
export const artifactRoutes = routeGroup<OrgScope, ArtifactAccess>('artifact');

/** Under /org/{org}/ws/{workspace}: for those who see that workspace. */
export const workspaceRoutes = routeGroup<WorkspaceScope, WorkspaceAccess>('workspace');

/** What a level puts before each of its paths. */
export const LEVELS: Record<Level, { readonly prefix: string; readonly params: z.ZodObject }> = {
  public: { prefix: '', params: z.object({}) },
  user: { prefix: '', params: z.object({}) },
  organization: { prefix: '/org/:org', params: z.object({ org: z.string().describe('Organization slug') }) },
  artifact: { prefix: '/org/:org', params: z.object({ org: z.string().describe('Organization slug') }) },
  workspace: {
    prefix: '/org/:org/ws/:workspace',
    params: z.object({
      org: z.string().describe('Organization slug'),
      workspace: z.string().describe('Workspace slug'),
    }),
  },
};
