/**
 * Operations as data. A domain declares them in groups; the group says where they are mounted, and with that who may
 * reach them: `publicRoutes`, `userRoutes`, `orgRoutes`, `workspaceRoutes`, and `artifactRoutes` for what strangers may
 * read when it is public. There is no other way to add a route.
 */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ArtifactAccess, OrgAccess, UserAccess, WorkspaceAccess } from '../auth/gate.ts';
import type { OrgScope, UserScope, WorkspaceScope } from '../auth/principal.ts';
import type { Issue } from '../errors.ts';
import type { EventFeed } from '../events/event-log.ts';
import type { ErrorForm } from './error-forms.ts';
import type { Reply } from './reply.ts';
import type { Upgrade } from './upgrades.ts';

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
   * 200 unless said; 204 where there is no answer. With 302 the answer is where to go, and is sent as `Location`. With 101 it
   * answers only requests for an upgrade.
   */
  readonly status?: 101 | 200 | 201 | 302;
  /** For a 201: what is to be created may exist already. The handler then returns `Reply.existing(…)`, which is a 200. */
  readonly mayExist?: boolean;
  /** The body is bytes, which the handler reads from `call.upload`. */
  readonly upload?: Upload;
  /** The content type of an answer that is text, which is sent as it is. */
  readonly contentType?: string;
  /** The schema of each content type, for a response in one of several. The handler returns `Reply.bytes` or `Reply.events`. */
  readonly answerTypes?: ContentTypes;
  /** The response is a file: the handler returns `Reply.file`. */
  readonly download?: true;
  /** It can be followed while it works: as server-sent events, by clients that accept `text/event-stream`. */
  readonly progress?: Progress;
  /** The caller is watched while it works, as with `progress`; it may return `Reply.events`. */
  readonly attended?: true;
  /** The body is for somebody else: numbers are kept as they are written, and it may hold what we could not store. */
  readonly passesBodyOn?: true;
  /** Writes rows of any size, so it is refused while the disk of the database is nearly full. */
  readonly isBulk?: true;
  /** Clients send the same again after a 429 and give up after a 500, so a database that restarts is told as a 429. */
  readonly isRetriedOn429?: true;
  /** A GET that may take over the connection of a client that asks for an upgrade, with `call.upgrade`. */
  readonly upgrades?: true;
  /** The WebSocket subprotocol beside which a browser sends its credential, since it can send no headers. */
  readonly webSocketProtocol?: string;
  /** The response comes from elsewhere: the handler returns `Reply.raw`. */
  readonly passedOn?: true;
  /** A second path of the same level, for clients that expect it there. */
  readonly alias?: string;
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

/** The events of an operation while it works. The handler sends them with `call.tell`. */
export interface Progress {
  /** The data of each type of event. */
  readonly events: EventTypes;
  /** The last event: the answer, cut to these data. */
  readonly end: { readonly type: string; readonly data: z.ZodType };
  /** Where the body can ask for events as well as the header `Accept`: the name of its boolean that does. */
  readonly field?: string;
}

/** The schema of the body for each content type, for the document. */
export type ContentTypes = Readonly<Record<string, z.ZodType>>;

export const BYTES = z.string().meta({ format: 'binary' });

/** A body of whatever type, for an upload that is kept as it is. */
export const ANY_TYPE: ContentTypes = { 'application/octet-stream': BYTES, '*/*': BYTES };

export interface Upload {
  /** Those that it takes, in lower case. */
  readonly contentTypes: ContentTypes;
  readonly maxBytes: number;
  /** Those that the handler unpacks; unless said, a body has to come as it is. */
  readonly contentEncodings?: readonly string[];
  /** The body is small, so it has to arrive within the time of any other request. */
  readonly isBrief?: true;
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
  /** The schema of the whole answer, for the document: the pieces are sent as they are. */
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
  /** Passes the entrance again: for a handler that has just read a body that may have taken an hour to arrive. */
  readonly stillAllowed: () => Promise<S>;
  /** For operations that declare `progress` or `attended`: aborted, with the reason, once the caller has left or may go on no more. */
  readonly signal: AbortSignal;
  /** For operations that declare `progress`; undefined where the caller waits for the answer alone. */
  readonly tell: Tell | undefined;
  /** Names parts of the request that were not used, in the response header `Drydock-Ignored`. */
  readonly ignore: (places: readonly Issue['loc'][]) => void;
  /** For operations that declare `upgrades`; undefined where the caller asks for none. */
  readonly upgrade: Upgrade | undefined;
}

/**
 * Sends an event of a declared type. Resolves once its reader has room for the next, so that a handler that awaits it makes no more than
 * is taken; also when there is no reader any more, which `call.signal` says.
 */
export type Tell = (type: string, data: unknown) => Promise<void>;

/** Asked of an upload when its sender was let in, before a byte is read. @returns why it is not taken now */
interface Admission<S> {
  readonly admit?: (request: FastifyRequest, reply: FastifyReply, scope: S) => Error | undefined;
}

export interface Operation extends Admission<never> {
  readonly method: Method;
  /** May end in `/*path`: the rest of the URL, slashes included, is then the parameter `path`. */
  readonly path: string;
  readonly spec: Spec<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>;
  readonly events?: EventTypes;
  /** The handler answers with pieces of text. */
  readonly isStreamed?: true;
  /** Every method leads to it, and its body is left to the handler; the document knows the GET. */
  readonly isOfAnyMethod?: true;
  readonly access: unknown;
  readonly handler: (call: Call<never, never, never, never>) => unknown;
}

export interface RouteGroup {
  readonly level: Level;
  readonly tag: string;
  readonly operations: readonly Operation[];
  /** How errors are told here, and at unknown paths beside. */
  readonly errorForm?: ErrorForm;
}

type Nothing = z.ZodObject<Record<never, never>>;

type Declare<S, Access> = <
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodType = z.ZodUndefined,
  A extends z.ZodType = z.ZodVoid,
>(
  path: string,
  spec: Spec<P, Q, B, A> & Access & Admission<S>,
  handler: (
    call: Call<S, z.output<P>, z.output<Q>, z.output<B>>,
  ) => Answered<z.output<A>> | Promise<Answered<z.output<A>>>,
) => void;

type Answered<Answer> = Answer | Reply<Answer> | Reply;

/** The handler says whose events they are. It is asked again while the stream is open, and ends it by throwing. */
type DeclareEvents<S, Access> = <P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  path: string,
  spec: EventSpec<P, Q> & Access,
  handler: (call: Call<S, z.output<P>, z.output<Q>, undefined>) => EventFeed | Promise<EventFeed>,
) => void;

/** An error before the first piece is answered as in any operation; a later one cuts the answer off. */
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
  /** Whatever the method is: the handler reads it and the body from `call.request.raw`. */
  readonly any: Declare<S, Access>;
}

function routeGroup<S, Access>(level: Level) {
  return (tag: string, declare: (on: Verbs<S, Access>) => void, errorForm?: ErrorForm): RouteGroup => {
    const operations: Operation[] = [];
    const verb =
      (method: Method, more: Pick<Operation, 'isOfAnyMethod'> = {}): Declare<S, Access> =>
      (path, spec, handler) => {
        const { admit } = spec;
        operations.push({ method, path, spec, access: spec, ...(admit && { admit }), handler, ...more });
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
      any: verb('GET', { isOfAnyMethod: true }),
    });
    return { level, tag, operations, ...(errorForm && { errorForm }) };
  };
}

/** For anyone, without a credential. */
export const publicRoutes = routeGroup<{ readonly requestId: string }, object>('public');

/** For a signed-in user, about themselves. */
export const userRoutes = routeGroup<UserScope, UserAccess>('user');

/** Under /org/{org}: for its members. */
export const orgRoutes = routeGroup<OrgScope, OrgAccess>('organization');

/**
 * Under /org/{org}, for anyone who is signed in: `scope.role` is null for users who are not members. Then the operation answers for
 * what is public only, and with the same 404 for what is private, for what is not there, and for an organization that is not.
 */
export const artifactRoutes = routeGroup<OrgScope, ArtifactAccess>('artifact');

/** Under /org/{org}/ws/{workspace}: for those who see that workspace. */
export const workspaceRoutes = routeGroup<WorkspaceScope, WorkspaceAccess>('workspace');

/** The prefix that a level puts before each of its paths. */
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
