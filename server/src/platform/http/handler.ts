/** Between the entrance and an operation's own handler: validation before it, and the answer after it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AccountReader, isAdministration, type UserAccess } from '../auth/gate.ts';
import type { UserScope } from '../auth/principal.ts';
import type { EventStreamId } from '../events/event-log.ts';
import { type Idempotency, idempotencyHeader, type KeyedCall } from '../idempotency/idempotency.ts';
import type { Entrance } from './entrance.ts';
import type { EventStreams } from './event-streams.ts';
import type { Level, Operation } from './operations.ts';
import { queryReader } from './query-parameters.ts';
import { validate } from './validation.ts';

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
  const { spec, method, events } = operation;
  const status = successStatus(spec);
  const isKeyed = takesIdempotencyKey(level, operation);
  const schemas = {
    path: spec.params && z.object(spec.params.shape),
    query: spec.query,
    body: spec.body,
    header: isKeyed ? idempotencyHeader : undefined,
  };
  const changesAccess = method !== 'GET' && altersAccess(level, operation.access);
  const readQuery = queryReader(spec.query);

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const given = {
      path: request.params,
      query: readQuery(request.query),
      body: request.body ?? undefined,
      header: request.headers,
    };
    // A body may have taken a minute to arrive: who sent it must still be allowed to.
    const scope = method === 'GET' ? (request as Entered).scope : await entrance.enterAgain(request);
    const { path: params, query, body, header } = validate(schemas, given);
    const handle = async (as: unknown) =>
      operation.handler({ scope: as, params, query, body, request } as never);

    const { principal } = scope as Partial<UserScope>;
    if (events) {
      const locate = async () => (await handle(await entrance.enterAgain(request))) as EventStreamId;
      return streams.serve({ request, reply, userId: principal?.userId, locate });
    }
    const run = async () => {
      try {
        return await handle(scope);
      } finally {
        // Also when it fails: a refused refresh ends its login.
        if (changesAccess) reader.forget();
      }
    };
    const key = isKeyed ? (header as z.output<typeof idempotencyHeader>)['idempotency-key'] : undefined;
    if (key !== undefined && principal) {
      const [path = ''] = request.url.split('?', 1);
      const call = { userId: principal.userId, method, path, key, body: given.body, query: given.query };
      return answerOnce(idempotency, call, reply.code(status), run);
    }
    const answer = await run();
    reply.code(status);
    if (spec.contentType) reply.type(spec.contentType);
    return status === 204 ? reply.send() : answer;
  };
}

/** The answer is made into text here, because that is what is kept for a repetition. */
async function answerOnce(
  idempotency: Idempotency,
  call: KeyedCall,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { status, text, isReplayed } = await idempotency.run(call, async () => {
    const answer = await run();
    const { statusCode } = reply;
    return { status: statusCode, text: statusCode === 204 ? '' : (reply.serialize(answer) as string) };
  });
  if (isReplayed) reply.header('idempotency-replayed', 'true');
  reply.code(status);
  return status === 204 ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
}

export function successStatus({ answer, status }: Operation['spec']): number {
  return answer ? (status ?? 200) : 204;
}

export function takesIdempotencyKey(level: Level, { method, spec }: Operation): boolean {
  const isUnlessSaid = method === 'POST' && (level === 'organization' || level === 'workspace');
  return spec.idempotency ?? isUnlessSaid;
}

/** Signing in and out, and changing accounts: what was remembered about callers may be wrong from then on. */
function altersAccess(level: Level, access: unknown): boolean {
  return level === 'public' || isAdministration((access as UserAccess).scope);
}
