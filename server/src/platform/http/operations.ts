/**
 * Operations as data. A domain declares them in groups; the group defines where they are mounted and who may access them: `publicRoutes`,
 * `userRoutes`, `orgRoutes`, `workspaceRoutes`, and `artifactRoutes` for artifacts that strangers may read when public. There is no other
 * way to add a route.
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
  /** Default 200; 204 for an empty response. For 302 the result is sent as `Location`. For 101 only upgrade requests are accepted. */
  readonly status?: 101 | 200 | 201 | 302;
  /** For a 201: the resource may exist already. The handler then returns `Reply.existing(…)`, which is a 200. */
  readonly mayExist?: boolean;
  /** The body is bytes, which the handler reads from `call.upload`. */
  readonly upload?: Upload;
  /** Content type of a text response, which is sent unchanged. */
  readonly contentType?: string;
  /** Schema per content type, for a response in one of several. The handler returns `Reply.bytes` or `Reply.events`. */
  readonly answerTypes?: ContentTypes;
  /** The response is a file: the handler returns `Reply.file`. */
  readonly download?: true;
  /** Progress can be followed as server-sent events, by clients that accept `text/event-stream`. */
  readonly progress?: Progress;
  /** The caller is watched during the work, as with `progress`; the handler may return `Reply.events`. */
  readonly attended?: true;
  /** The body is forwarded: numbers keep their text, and it may contain what the database cannot store. */
  readonly passesBodyOn?: true;
  /** Writes rows of any size, so it is refused while the disk of the database is nearly full. */
  readonly isBulk?: true;
  /** Clients retry after a 429 and give up after a 500, so a database restart is reported as a 429. */
  readonly isRetriedOn429?: true;
  /** A GET that may take over the connection of an upgrade request, with `call.upgrade`. */
  readonly upgrades?: true;
  /** WebSocket subprotocol next to which a browser sends its credential, since it cannot send headers. */
  readonly webSocketProtocol?: string;
  /** The response is forwarded: the handler returns `Reply.raw`. */
  readonly passedOn?: true;
  /** A second path on the same level, for clients that expect it there. */
  readonly alias?: string;
  readonly bodyLimitBytes?: number;
  /** Counted as bulk ingestion; by default GETs are reads and everything else is a write. */
  readonly rateClass?: 'ingest';
  /** Not rate limited. */
  readonly unlimited?: boolean;
  /** May take minutes, so that clients need a longer timeout than elsewhere. */
  readonly long?: true;
  /** Accepts `Idempotency-Key`; by default POSTs of organizations and workspaces do. */
  readonly idempotency?: boolean;
}

/** Progress events of an operation. The handler sends them with `call.tell`. */
export interface Progress {
  /** Data schema of each event type. */
  readonly events: EventTypes;
  /** The last event: the response, cut to this schema. */
  readonly end: { readonly type: string; readonly data: z.ZodType };
  /** Boolean body field that requests events, as an alternative to the `Accept` header. */
  readonly field?: string;
}

/** Body schema per content type, for the document. */
export type ContentTypes = Readonly<Record<string, z.ZodType>>;

export const BYTES = z.string().meta({ format: 'binary' });

/** A body of any type, for an upload that is stored unchanged. */
export const ANY_TYPE: ContentTypes = { 'application/octet-stream': BYTES, '*/*': BYTES };

export interface Upload {
  /** Accepted types, in lower case. */
  readonly contentTypes: ContentTypes;
  readonly maxBytes: number;
  /** Encodings that the handler unpacks; by default a body must be uncompressed. */
  readonly contentEncodings?: readonly string[];
  /** The body is small, so the time limit of other requests applies. */
  readonly isBrief?: true;
}

/** An operation that responds with the events of a resource as they occur. */
export interface EventSpec<P extends z.ZodObject, Q extends z.ZodObject>
  extends Pick<Spec<P, Q, z.ZodType, z.ZodType>, 'id' | 'summary' | 'description' | 'params' | 'query'> {
  /** Data schema of each event type. */
  readonly events: EventTypes;
}

/** A GET that streams a JSON document in pieces, with backpressure. */
export interface StreamSpec<P extends z.ZodObject, Q extends z.ZodObject>
  extends Pick<
    Spec<P, Q, z.ZodType, z.ZodType>,
    'id' | 'summary' | 'description' | 'params' | 'query' | 'long'
  > {
  /** Schema of the whole response, for the document: the pieces are sent unchanged. */
  readonly answer: z.ZodType;
}

export type EventTypes = Readonly<Record<string, z.ZodType>>;

export interface Call<S, P, Q, B> {
  readonly scope: S;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly request: FastifyRequest;
  /** Bytes of the body, for operations that declare `upload`; fails with 400 beyond the limit. */
  readonly upload: Readable;
  /** Checks permissions again: for a handler whose upload may have taken an hour to arrive. */
  readonly stillAllowed: () => Promise<S>;
  /**
   * For operations that declare `progress` or `attended`: aborted, with the reason, when the caller has disconnected or is no longer
   * authorized.
   */
  readonly signal: AbortSignal;
  /** For operations that declare `progress`; undefined when the caller waits for the response only. */
  readonly tell: Tell | undefined;
  /** Reports unused parts of the request in the response header `Drydock-Ignored`. */
  readonly ignore: (places: readonly Issue['loc'][]) => void;
  /** For operations that declare `upgrades`; undefined for other requests. */
  readonly upgrade: Upgrade | undefined;
}

/**
 * Sends an event of a declared type. Resolves when its reader is ready for the next one, so that a handler that awaits it applies
 * backpressure; also resolves when the reader has disconnected, which `call.signal` reports.
 */
export type Tell = (type: string, data: unknown) => Promise<void>;

/**
 * Called when the sender of an upload was admitted, before a byte is read.
 * @returns the reason to refuse it now
 */
interface Admission<S> {
  readonly admit?: (request: FastifyRequest, reply: FastifyReply, scope: S) => Error | undefined;
}

export interface Operation extends Admission<never> {
  readonly method: Method;
  /** May end in `/*path`: the rest of the URL, including slashes, is then the parameter `path`. */
  readonly path: string;
  readonly spec: Spec<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>;
  readonly events?: EventTypes;
  /** The handler responds with pieces of text. */
  readonly isStreamed?: true;
  /** Accepts every method and leaves the body to the handler; only the GET is documented. */
  readonly isOfAnyMethod?: true;
  readonly access: unknown;
  readonly handler: (call: Call<never, never, never, never>) => unknown;
}

export interface RouteGroup {
  readonly level: Level;
  readonly tag: string;
  readonly operations: readonly Operation[];
  /** Form of errors for this group, and for unknown paths next to it. */
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

/** The handler returns the events' resource. It is called again while the stream is open, and ends it by throwing. */
type DeclareEvents<S, Access> = <P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  path: string,
  spec: EventSpec<P, Q> & Access,
  handler: (call: Call<S, z.output<P>, z.output<Q>, undefined>) => EventFeed | Promise<EventFeed>,
) => void;

/** An error before the first piece is an ordinary error response; a later one cuts the response off. */
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
  /** Accepts every method: the handler reads it and the body from `call.request.raw`. */
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

/** Routes for anyone, without a credential. */
export const publicRoutes = routeGroup<{ readonly requestId: string }, object>('public');

/** Routes of signed-in users about themselves. */
export const userRoutes = routeGroup<UserScope, UserAccess>('user');

/** Routes under /org/{org} for its members. */
export const orgRoutes = routeGroup<OrgScope, OrgAccess>('organization');

/**
 * Routes under /org/{org} for every signed-in user: `scope.role` is null for users who are not members. For them the operation returns
 * public artifacts only, and the same 404 for a private artifact, an unknown one, and an unknown organization.
 */
export const artifactRoutes = routeGroup<OrgScope, ArtifactAccess>('artifact');

/** Routes under /org/{org}/ws/{workspace} for users who see that workspace. */
export const workspaceRoutes = routeGroup<WorkspaceScope, WorkspaceAccess>('workspace');

/** Path prefix of each level. */
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
