/** Connects the entrance and the handler of an operation: validation of the request, and serialization of the response. */
import { isAscii } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AccountReader, isAdministration, type UserAccess } from '../auth/gate.ts';
import type { UserScope } from '../auth/principal.ts';
import { untilConnected } from '../db/lost-connection.ts';
import type { RecordEffect } from '../db/transaction.ts';
import type { Issue } from '../errors.ts';
import type { EventFeed } from '../events/event-log.ts';
import { type Idempotency, idempotencyHeader, type KeyedCall } from '../idempotency/idempotency.ts';
import type { Entrance } from './entrance.ts';
import type { EventStreams } from './events/event-streams.ts';
import { type Live, wantsEvents } from './events/live-work.ts';
import type { Call, Level, Operation, Progress } from './operations.ts';
import { ignoredNameFinder, reportIgnored } from './requests/ignored-names.ts';
import { queryReader } from './requests/query-parameters.ts';
import { UploadBody } from './requests/uploads.ts';
import { validate } from './requests/validation.ts';
import { type PiecesOptions, sendDownload, sendPieces } from './responses/pieces.ts';
import { Reply, type ReplyBody } from './responses/reply.ts';

const MAX_TEXT_BYTES = 64 * 1024;

/** A body that arrives within this time came together with the headers. */
const AT_ONCE_MS = 5;

/** A request carries its scope from the entrance to the handler. */
export type Entered = FastifyRequest & { scope: unknown };

interface HandlerOptions {
  readonly reader: AccountReader;
  readonly idempotency: Idempotency;
  readonly streams: EventStreams;
}

export function createHandler(
  { reader, idempotency, streams }: HandlerOptions,
  level: Level,
  operation: Operation,
  entrance: Entrance,
) {
  const { spec, method, events, isStreamed } = operation;
  const isKeyed = takesIdempotencyKey(level, operation);
  const readRequest = requestReader(operation, isKeyed);
  const changesAccess = method !== 'GET' && altersAccess(level, operation.access);
  // A GET changes nothing, so it is repeated when its database connection breaks.
  const isRepeatable = method === 'GET' && !operation.isOfAnyMethod && !spec.upgrades;

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { scope: entered } = request as Entered;
    // A body may have taken a minute to arrive: permissions are checked again.
    const isLate = method !== 'GET' && reply.elapsedTime > AT_ONCE_MS;
    const scope = isLate ? await entrance.enterAgain(request) : entered;
    const { given, path: params, query, body, header } = readRequest(request, reply);
    const upload = spec.upload && new UploadBody(request.raw, spec.upload);
    const stillAllowed = async () => entrance.enterAgain(request);
    const { principal } = scope as Partial<UserScope>;
    const taking = { reply, userId: principal?.userId, recheck: stillAllowed };
    const upgrade = spec.upgrades && request.server.upgrades.find(request.raw, taking);
    const ignore = (places: readonly Issue['loc'][]) => reportIgnored(reply, places);
    const parts = { params, query, body, request, upload, stillAllowed, upgrade, ignore };
    const handle = (as: unknown, live?: Live) => operation.handler(toCall(as, parts, live) as never);

    if (events) {
      const locate = async () => (await handle(await entrance.enterAgain(request))) as EventFeed;
      return streams.serve({ request, reply, userId: principal?.userId, locate });
    }
    const runToItsEnd = async (live?: Live, recordEffect?: RecordEffect) => {
      try {
        return await handle(withRecord(scope, recordEffect), live);
      } finally {
        upload?.destroy();
        // Runs for failures too: a refused refresh ends its login.
        if (changesAccess) reader.forget();
      }
    };
    const runHandler = (live?: Live, recordEffect?: RecordEffect) =>
      isRepeatable
        ? untilConnected(() => handle(scope, live))
        : handle(withRecord(scope, recordEffect), live);
    const run = upload || changesAccess ? runToItsEnd : runHandler;
    if (isStreamed) {
      const pieces = (await handle(scope)) as AsyncIterable<string>;
      return sendPieces({ request, reply, pieces: withNewline(pieces), stillAllowed });
    }
    const response = async (live?: Live) => {
      const key = isKeyed ? (header as z.output<typeof idempotencyHeader>)['idempotency-key'] : undefined;
      if (key === undefined || !principal)
        return sendResponse(spec, await run(live), { request, reply, stillAllowed, streams });
      const [path = ''] = request.url.split('?', 1);
      const keyed = { userId: principal.userId, method, path, key, body: given.body, query: given.query };
      return respondOnce(idempotency, keyed, spec, reply, (recordEffect) => run(live, recordEffect));
    };
    const progress = progressOf(spec);
    const work = { request, reply, recheck: stillAllowed };
    if (upgrade)
      return upgrade.run(() =>
        spec.watched === true ? streams.attend({ ...work, run: response }) : response(),
      );
    if (!spec.watched) return response();
    if (!progress || !wantsEvents(request, progress, body)) return streams.attend({ ...work, run: response });
    return streams.follow({ ...work, run, progress, userId: principal?.userId });
  };
}

/** The scope of a call with an Idempotency-Key carries what its transactions end with. */
const withRecord = (scope: unknown, recordEffect: RecordEffect | undefined) =>
  recordEffect ? { ...(scope as UserScope), recordEffect } : scope;

/** Parses and validates the parts of an operation's requests, and reports unknown names in the response. */
function requestReader({ spec, isOfAnyMethod }: Operation, isKeyed: boolean) {
  const schemas = {
    path: spec.params && z.object(spec.params.shape),
    query: spec.query,
    body: spec.body,
    header: isKeyed ? idempotencyHeader : undefined,
  };
  const readQuery = queryReader(spec.query);
  const findUnknown = ignoredNameFinder(spec, isOfAnyMethod);
  return (request: FastifyRequest, reply: FastifyReply) => {
    const given = {
      path: readPath(request),
      query: readQuery(request.query),
      body: request.body ?? undefined,
      header: request.headers,
    };
    const { issues, ignored } = findUnknown(request.query, given.body);
    reportIgnored(reply, ignored);
    return { given, ...validate(schemas, given, { isVerbatim: spec.largeBody?.isVerbatim, found: issues }) };
  };
}

async function* withNewline(pieces: AsyncIterable<string>): AsyncIterable<string> {
  yield* pieces;
  yield '\n';
}

type CallParts = Omit<Call<never, never, never, never>, 'scope' | 'signal' | 'emit'>;

/** Lists each part explicitly, since spreading takes six times as long. */
function toCall(
  scope: unknown,
  { params, query, body, request, upload, stillAllowed, upgrade, ignore }: Record<keyof CallParts, unknown>,
  live: Live | undefined,
) {
  const { signal, emit } = live ?? NOT_LIVE;
  return { scope, params, query, body, request, upload, stillAllowed, upgrade, ignore, signal, emit };
}

const NOT_LIVE = { signal: undefined, emit: undefined };

type SendOptions = Pick<PiecesOptions, 'request' | 'reply' | 'stillAllowed'> &
  Pick<HandlerOptions, 'streams'>;

function sendResponse(spec: Operation['spec'], result: unknown, to: SendOptions): unknown {
  const { reply } = to;
  if (result instanceof Reply && result.body.kind !== 'existing')
    return sendReply(result, successStatus(spec), to);
  if (reply.sent) return reply; // the operation has taken over the connection
  const { status, response } = toResponse(spec, result);
  reply.code(status);
  if (status === 302) return reply.header('location', response).send();
  if (typeof spec.returns === 'object' && 'text' in spec.returns) reply.type(spec.returns.text);
  return status === 204 ? reply.send() : response;
}

function sendReply({ body, headers }: Reply<unknown>, status: number, to: SendOptions): unknown {
  const { reply } = to;
  if (body.kind === 'bytes' && body.onSent) watchSending(reply, body.onSent, to.streams.drainMs);
  if (reply.sent) return reply;
  reply.code(status);
  if (body.kind === 'value') return reply.headers(headers).send(body.value);
  if (body.kind === 'bytes') return reply.headers(headers).type(body.contentType).send(inOnePiece(body));
  if (body.kind === 'events') return to.streams.relay(body.chunks, headers, to);
  if (body.kind === 'file') return sendDownload(body, headers, to);
  if (body.kind === 'raw') return sendRaw(body, reply);
  throw new Error(`A reply of kind "${body.kind}" is not sent here.`);
}

/** Cuts off a reader that stopped reading: the timeout of a connection does not expire during a long write. */
function watchSending({ raw }: FastifyReply, sent: () => void, drainMs: number): void {
  if (raw.closed) return sent();
  raw.once('close', sent);
  raw.setTimeout(drainMs, () => raw.destroy());
}

/** Text is written together with the headers. Fastify changes the type of a text without a charset, so other text stays bytes. */
function inOnePiece({ bytes, contentType }: ReplyBody<unknown> & { kind: 'bytes' }): Buffer | string {
  if (typeof bytes === 'string') return contentType.startsWith('application/json') ? `${bytes}\n` : bytes;
  const isText = bytes.length <= MAX_TEXT_BYTES && contentType.endsWith('; charset=utf-8') && isAscii(bytes);
  return isText ? bytes.toString('latin1') : bytes;
}

async function sendRaw(
  { send }: ReplyBody<unknown> & { kind: 'raw' },
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    await send(() => reply.hijack().raw);
  } catch (error) {
    if (!reply.sent) throw error;
    reply.raw.destroy();
  }
  return reply;
}

/** Serializes the response to text, since the text is stored for repeated requests. */
async function respondOnce(
  idempotency: Idempotency,
  call: KeyedCall,
  spec: Operation['spec'],
  reply: FastifyReply,
  run: (recordEffect: RecordEffect) => unknown,
): Promise<FastifyReply> {
  const { status, text, isReplayed } = await idempotency.run(call, async (recordEffect) => {
    const { status, response } = toResponse(spec, await run(recordEffect));
    return { status, text: status === 204 ? '' : serialize(spec, reply, status, response) };
  });
  if (isReplayed) reply.header('idempotency-replayed', 'true');
  reply.code(status);
  return status === 204 ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
}

/** The schema depends on the status, and on the content type when there are several. */
function serialize(spec: Operation['spec'], reply: FastifyReply, status: number, response: unknown): string {
  if (!progressOf(spec)) return reply.code(status).serialize(response) as string;
  return reply.serializeInput(
    response as Record<string, unknown>,
    String(status),
    'application/json',
  ) as string;
}

function toResponse(spec: Operation['spec'], result: unknown): { status: number; response: unknown } {
  if (!(result instanceof Reply)) return { status: successStatus(spec), response: result };
  if (result.body.kind !== 'existing')
    throw new Error(`${spec.id} takes an Idempotency-Key, and must return JSON.`);
  if (spec.status !== '201 or 200')
    throw new Error(`${spec.id} returns Reply.existing, and does not declare the status '201 or 200'.`);
  return { status: 200, response: result.body.value };
}

/** The router names the rest of a path `*`. */
function readPath({ params }: FastifyRequest): unknown {
  if (!('*' in (params as Record<string, string>))) return params;
  const { '*': path, ...named } = params as Record<string, string>;
  return { ...named, path };
}

/** The status of a response that is neither an error nor `Reply.existing`. */
export function successStatus({ response, returns, status }: Operation['spec']): number {
  if (status === '201 or 200') return 201;
  if (status === 101) return status;
  return response || returns ? (status ?? 200) : 204;
}

export const progressOf = ({ watched }: Operation['spec']): Progress | undefined =>
  watched === true ? undefined : watched;

export function takesIdempotencyKey(level: Level, { method, spec }: Operation): boolean {
  const isByDefault = method === 'POST' && level !== 'public' && level !== 'user' && !spec.upload;
  return spec.idempotency ?? isByDefault;
}

/**
 * Returns whether an operation may change permissions, such as sign-in, sign-out and account changes, so that cached callers become
 * invalid.
 */
function altersAccess(level: Level, access: unknown): boolean {
  return level === 'public' || isAdministration((access as UserAccess).scope);
}
