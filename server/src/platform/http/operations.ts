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
import type { ErrorForm } from './responses/error-forms.ts';
import type { Reply } from './responses/reply.ts';
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
  readonly response?: A;
  /**
   * Default 200; 204 for an empty response. With '201 or 200' the resource may exist already: the handler then returns
   * `Reply.existing(…)`, which is a 200. For 302 the result is sent as `Location`. For 101 only upgrade requests are accepted.
   */
  readonly status?: 101 | 200 | 201 | '201 or 200' | 302;
  /** Form of a response that is not the JSON of `response`. */
  readonly returns?: Returns;
  /** The body is bytes, which the handler reads from `call.upload`. */
  readonly upload?: Upload;
  /** The body is JSON and may be larger than 1 MiB. */
  readonly largeBody?: LargeBody;
  /**
   * The client is watched during the work: `call.signal` aborts when it disconnects or loses access. With `Progress`, clients that
   * accept `text/event-stream` can follow the work as events.
   */
  readonly watched?: true | Progress;
  /** Writes rows of any size, so it is refused while the disk of the database is nearly full. */
  readonly isBulk?: true;
  /** A GET that may take over the connection of an upgrade request, with `call.upgrade`. */
  readonly upgrades?: true | { readonly webSocketProtocol: string };
  readonly compatibility?: Compatibility;
  /** Counted as bulk ingestion, or not rate limited; by default GETs are reads and everything else is a write. */
  readonly rateClass?: 'ingest' | 'unlimited';
  /** May take minutes, so that clients need a longer timeout than elsewhere. */
  readonly long?: true;
  /** Accepts `Idempotency-Key`; by default POSTs of organizations and workspaces do. */
  readonly idempotency?: boolean;
}

/**
 * - `file`: the handler returns `Reply.file`.
 * - `raw`: the response is forwarded, and the handler returns `Reply.raw`.
 * - `text`: the handler returns text of this content type, which is sent unchanged.
 * - `oneOf`: the schema of each content type; the handler returns `Reply.bytes` or `Reply.events`.
 */
export type Returns = 'file' | 'raw' | { readonly text: string } | { readonly oneOf: ContentTypes };

export interface LargeBody {
  readonly maxBytes: number;
  /** The body is forwarded: numbers keep their text, and it may contain what the database cannot store. */
  readonly isVerbatim?: true;
}

/** What published clients expect of an operation. */
interface Compatibility {
  /** A second path on the same level. */
  readonly alias?: string;
  /** Clients retry after a 429 and give up after a 500, so a database restart is reported as a 429. */
  readonly isRetriedOn429?: true;
}

/** Progress events of an operation. The handler sends them with `call.emit`. */
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
  readonly response: z.ZodType;
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
   * For operations that declare `watched`: aborted, with the reason, when the caller has disconnected or is no longer
   * authorized.
   */
  readonly signal: AbortSignal;
  /** For operations that declare `watched` with `Progress`; undefined when the caller waits for the response only. */
  readonly emit: Emit | undefined;
  /** Reports unused parts of the request in the response header `Drydock-Ignored`. */
  readonly ignore: (places: readonly Issue['loc'][]) => void;
  /** For operations that declare `upgrades`; undefined for other requests. */
  readonly upgrade: Upgrade | undefined;
}

/**
 * Sends an event of a declared type. Resolves when its reader is ready for the next one, so that a handler that awaits it applies
 * backpressure; also resolves when the reader has disconnected, which `call.signal` reports.
 */
export type Emit = (type: string, data: unknown) => Promise<void>;

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
  ) => HandlerResult<z.output<A>> | Promise<HandlerResult<z.output<A>>>,
) => void;

type HandlerResult<Body> = Body | Reply<Body> | Reply;

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
