/** Puts declared operations onto the server, each behind its entrance, and documents them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AccountReader } from '../auth/gate.ts';
import type { UserScope } from '../auth/principal.ts';
import { documentedIdempotencyHeader, type Idempotency } from '../idempotency/idempotency.ts';
import type { Admit } from '../limits/admission.ts';
import { BodyRoom } from './body-room.ts';
import { createEntrance } from './entrance.ts';
import { ErrorResponse } from './error-answers.ts';
import { ERROR_STATUSES } from './errors.ts';
import { describeEvents, EventHeaders } from './event-format.ts';
import type { EventStreams } from './event-streams.ts';
import { createHandler, type Entered, successStatus, takesIdempotencyKey } from './handler.ts';
import { OPTIONAL_BODY } from './openapi.ts';
import { LEVELS, type Level, type Operation, type RouteGroup } from './operations.ts';
import { findRefusal, outlastBody, takeUploads } from './uploads.ts';

export const API_PREFIX = '/api/v1';

const ERROR_RESPONSES = Object.fromEntries(ERROR_STATUSES.map((status) => [status, ErrorResponse]));

const NO_CONTENT = z.null().describe('Done');

const LOCATION = { type: 'string', format: 'uri', description: 'Where it is, for a few minutes' };
const REDIRECT = z.null().meta({ description: 'Found elsewhere', headers: { Location: LOCATION } });

const BYTES = z.string().meta({ format: 'binary' });

/** What every operation is mounted with. */
export interface Fittings {
  readonly reader: AccountReader;
  readonly admit: Admit;
  readonly idempotency: Idempotency;
  readonly streams: EventStreams;
}

export function mount(app: FastifyInstance, fittings: Fittings, groups: readonly RouteGroup[]): void {
  app.decorateRequest('scope');
  // Or a graceful stop would wait for readers who never leave.
  app.addHook('preClose', async () => fittings.streams.close());
  const uploads = groups.flatMap(({ operations }) => operations.flatMap(({ spec }) => spec.upload ?? []));
  takeUploads(app, new Set(uploads.map(({ contentType }) => contentType)));
  const room = new BodyRoom();
  for (const group of groups) {
    for (const operation of group.operations) mountOperation(app, { ...fittings, room }, group, operation);
  }
}

function mountOperation(
  app: FastifyInstance,
  fittings: Fittings & { readonly room: BodyRoom },
  { level, tag }: RouteGroup,
  operation: Operation,
): void {
  const { spec, method, events, isStreamed } = operation;
  const { upload, bodyLimitBytes } = spec;
  const { prefix, params } = LEVELS[level];
  const path = params.extend(spec.params?.shape ?? {});
  if (spec.status === 302 && method !== 'GET') throw new Error(`${spec.id} redirects, and is no GET.`);
  const entrance = createEntrance(fittings, level, operation);

  app.route({
    method,
    url: API_PREFIX + prefix + operation.path.replace(/\/\*path$/, '/*'),
    ...(bodyLimitBytes && { bodyLimit: bodyLimitBytes }),
    schema: {
      operationId: spec.id,
      summary: spec.summary,
      ...(spec.description && { description: spec.description }),
      tags: [tag],
      ...(level === 'public' && { security: [] }),
      'x-access': describeAccess(level, operation.access),
      ...(spec.long && { 'x-long': true }),
      ...(spec.body?.safeParse(undefined).success && { [OPTIONAL_BODY]: true }),
      ...(Object.keys(path.shape).length > 0 && { params: path }),
      ...(takesIdempotencyKey(level, operation) && { headers: documentedIdempotencyHeader }),
      ...(spec.query && { querystring: spec.query }),
      ...(spec.body && { body: spec.body }),
      ...(upload && { body: BYTES, consumes: [upload.contentType] }),
      ...(events && { headers: EventHeaders }),
      response: { ...(events ? describeEvents(events) : describeAnswer(spec)), ...ERROR_RESPONSES },
    },
    // A HEAD would make the whole answer and send nothing of it.
    ...((events || isStreamed) && { exposeHeadRoute: false }),
    ...(upload && { config: { upload }, onSend: outlastBody }),
    // Before the body is read: a stranger's bytes are not parsed.
    onRequest: (request: FastifyRequest, reply: FastifyReply, done) => {
      const enterAs = (scope: unknown) => {
        (request as Entered).scope = scope;
        const { userId } = (scope as Partial<UserScope>).principal ?? {};
        if (upload) done(findRefusal(request, upload));
        else if (bodyLimitBytes) done(fittings.room.take(request, reply, userId, bodyLimitBytes));
        else done();
      };
      const scope = entrance.enter(request, reply);
      if (scope instanceof Promise) scope.then(enterAs, done);
      else enterAs(scope);
    },
    handler: createHandler(fittings, level, operation, entrance),
  });
}

function describeAnswer(spec: Operation['spec']) {
  const { answer = NO_CONTENT, contentType, mayExist } = spec;
  const status = successStatus(spec);
  if (status === 302) return { 302: REDIRECT };
  const [mediaType = ''] = contentType?.split(';') ?? [];
  const described = contentType ? { content: { [mediaType]: { schema: answer } } } : answer;
  return { ...(mayExist && { 200: described }), [status]: described };
}

/** Who may call it, for readers of the document and for the test that tries everybody else. */
function describeAccess(level: Level, access: unknown) {
  const names = ['scope', 'role', 'orgRole', 'unrestricted', 'narrowedKeys', 'platformAdmin'] as const;
  const declared = access as Record<(typeof names)[number], unknown>;
  const flags = names
    .filter((name) => declared[name] !== undefined)
    .map((name) => [toSnakeCase(name), declared[name]]);
  return { level, ...Object.fromEntries(flags) };
}

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
