/** Mounts declared operations on the server, each behind its entrance, and documents them. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Budget, memoryBudget, type Share } from '../admission/budget.ts';
import type { AccountReader } from '../auth/gate.ts';
import type { UserScope } from '../auth/principal.ts';
import { ERROR_STATUSES } from '../errors.ts';
import { documentedIdempotencyHeader, type Idempotency } from '../idempotency/idempotency.ts';
import type { CheckRequest } from '../limits/request-checks.ts';
import type { DiskReserve } from '../storage-limits/disk-reserve.ts';
import { createEntrance } from './entrance.ts';
import { describeEvents, describeProgress, EventHeaders } from './events/event-format.ts';
import type { EventStreams } from './events/event-streams.ts';
import { createHandler, type Entered, progressOf, successStatus, takesIdempotencyKey } from './handler.ts';
import { BODY_TYPES, OPTIONAL_BODY } from './openapi/openapi.ts';
import {
  ANY_TYPE,
  BYTES,
  type ContentTypes,
  LEVELS,
  type Level,
  type Operation,
  type RouteGroup,
  type Upload,
} from './operations.ts';
import { findRefusal, leaveBodies } from './requests/uploads.ts';
import type { ErrorForm } from './responses/error-forms.ts';
import { ErrorResponse } from './responses/error-responses.ts';

export const API_PREFIX = '/api/v1';

const describeErrors = (form: ErrorForm | undefined) =>
  Object.fromEntries(ERROR_STATUSES.map((status) => [status, form?.schema ?? ErrorResponse]));

const NO_CONTENT = z.null().describe('Done');

const LOCATION = { type: 'string', format: 'uri', description: 'Where it is, for a few minutes' };
const REDIRECT = z.null().meta({ description: 'Found elsewhere', headers: { Location: LOCATION } });

const SWITCHED = z.null().meta({ description: 'Switching protocols' });

/** Components that every operation is mounted with. */
export interface Fittings {
  readonly reader: AccountReader;
  readonly checkRequest: CheckRequest;
  readonly idempotency: Idempotency;
  readonly streams: EventStreams;
  /** Disk reserve of the database; undefined when it runs on another machine. */
  readonly disk?: DiskReserve | undefined;
}

export function mount(app: FastifyInstance, fittings: Fittings, groups: readonly RouteGroup[]): void {
  app.decorateRequest('scope');
  // A graceful stop would otherwise wait for readers that never disconnect.
  app.addHook('preClose', async () => {
    fittings.streams.close();
    await app.upgrades.close();
  });
  const all = { ...fittings, bodies: memoryBudget('large requests') };
  const mountSome = (on: FastifyInstance, areUploads: boolean) => {
    for (const group of groups) {
      if (group.errorForm) app.errorForms.add(urlOf(group.level, group.errorForm.below), group.errorForm);
      for (const operation of group.operations)
        if (areUploads === leavesBody(operation)) mountOperation(on, all, group, operation);
    }
  };
  mountSome(app, false);
  app.register((uploads, _options, done) => {
    leaveBodies(uploads);
    mountSome(uploads, true);
    done();
  });
}

const leavesBody = ({ spec, isOfAnyMethod }: Operation) =>
  spec.upload !== undefined || isOfAnyMethod === true;

/** Operations of any method accept bodies of any length, with the time limit of uploads. */
const ANY_BODY: Upload = { contentTypes: ANY_TYPE, maxBytes: Number.MAX_SAFE_INTEGER };

/** Methods in addition to the documented one. */
const OTHER_METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function mountOperation(
  app: FastifyInstance,
  fittings: Fittings & { readonly bodies: Budget },
  { level, tag, errorForm }: RouteGroup,
  operation: Operation,
): void {
  const { spec, method, events, isStreamed } = operation;
  const { compatibility = {}, largeBody } = spec;
  const upload = operation.isOfAnyMethod ? ANY_BODY : spec.upload;
  if (spec.status === 302 && method !== 'GET') throw new Error(`${spec.id} redirects, but is not a GET.`);
  if (spec.upgrades && method !== 'GET')
    throw new Error(`${spec.id} takes connections over, but is not a GET.`);
  const urls = [operation.path, ...(compatibility.alias ? [compatibility.alias] : [])].map((path) =>
    urlOf(level, path),
  );
  if (spec.upgrades) for (const url of urls) app.upgrades.add(url);
  const entrance = createEntrance(fittings, level, operation);

  const route = {
    method,
    ...(largeBody && { bodyLimit: largeBody.maxBytes }),
    // A HEAD would compute the whole response and send nothing of it.
    ...((events || isStreamed || spec.returns === 'file' || operation.isOfAnyMethod) && {
      exposeHeadRoute: false,
    }),
    config: {
      ...(upload && { upload }),
      ...(largeBody?.isVerbatim && { isVerbatim: true as const }),
      ...(compatibility.isRetriedOn429 && { isRetriedOn429: true as const }),
    },
    // Runs before the body is read, so that bodies of unauthorized callers are not parsed.
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      const enterAs = (scope: unknown) => {
        (request as Entered).scope = scope;
        const { userId } = (scope as Partial<UserScope>).principal ?? {};
        if (upload) done(findRefusal(request, upload) ?? operation.admit?.(request, reply, scope as never));
        else if (largeBody)
          done(reserveBodyMemory(fittings.bodies.open(userId ?? ''), request, reply, largeBody.maxBytes));
        else done();
      };
      const scope = entrance.enter(request, reply);
      if (fittings.disk && spec.isBulk) withDiskRoom(fittings.disk, request, scope).then(enterAs, done);
      else if (scope instanceof Promise) scope.then(enterAs, done);
      else enterAs(scope);
    },
    handler: createHandler(fittings, level, operation, entrance),
  };
  // One operation has one id, and therefore one place in the document.
  for (const [index, url] of urls.entries()) {
    const schema = index === 0 ? describe(level, tag, operation, errorForm) : { hide: true };
    app.route({ ...route, url, schema });
    if (operation.isOfAnyMethod) app.route({ ...route, method: OTHER_METHODS, url, schema: { hide: true } });
  }
}

/**
 * Reserves memory for a large body from before it is read until its response is closed.
 * @returns the error when the budget is used up
 */
function reserveBodyMemory(
  share: Share,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  maxBytes: number,
): Error | undefined {
  // A body without Content-Length counts as the largest one. A body over the limit is refused by its reader.
  const refusal = share.take(Math.min(Number(headers['content-length'] ?? maxBytes), maxBytes));
  if (!share.isEmpty) reply.raw.once('close', () => share.free());
  return refusal;
}

/**
 * Refuses a bulk write when the database's disk is nearly full: after the caller was admitted, before the body is read.
 * @returns the scope
 */
async function withDiskRoom(
  disk: DiskReserve,
  { headers }: FastifyRequest,
  scope: unknown,
): Promise<unknown> {
  const entered = await scope;
  await disk.take('rows', Number(headers['content-length'] ?? 0));
  return entered;
}

const urlOf = (level: Level, path: string) =>
  API_PREFIX + LEVELS[level].prefix + path.replace(/\/\*path$/, '/*');

function describe(level: Level, tag: string, operation: Operation, errorForm: ErrorForm | undefined) {
  const { spec, access, events } = operation;
  const { upload, body } = spec;
  const path = LEVELS[level].params.extend(spec.params?.shape ?? {});
  return {
    operationId: spec.id,
    summary: spec.summary,
    ...(spec.description && { description: spec.description }),
    tags: [tag],
    ...(level === 'public' && { security: [] }),
    'x-access': describeAccess(level, access),
    ...(operation.isOfAnyMethod && { 'x-any-method': true }),
    ...(spec.long && { 'x-long': true }),
    ...(body?.safeParse(undefined).success && { [OPTIONAL_BODY]: true }),
    ...(Object.keys(path.shape).length > 0 && { params: path }),
    ...(takesIdempotencyKey(level, operation) && { headers: documentedIdempotencyHeader }),
    ...(spec.query && { querystring: spec.query }),
    ...(body && { body }),
    ...(upload && { [BODY_TYPES]: upload.contentTypes }),
    ...(upload?.contentEncodings && { headers: encodingHeader(upload.contentEncodings) }),
    ...(events && { headers: EventHeaders }),
    response: { ...(events ? describeEvents(events) : describeResponse(spec)), ...describeErrors(errorForm) },
  };
}

const encodingHeader = (encodings: readonly string[]) =>
  z.object({
    'content-encoding': z
      .string()
      .optional()
      .describe(`${encodings.join(', ')} or identity`),
  });

function describeResponse(spec: Operation['spec']) {
  const { response = NO_CONTENT } = spec;
  const status = successStatus(spec);
  if (status === 302) return { 302: REDIRECT };
  if (status === 101) return { 101: SWITCHED };
  const types = contentTypesOf(spec, response);
  const described = types ? { content: describeTypes(types) } : response;
  return { ...(spec.status === '201 or 200' && { 200: described }), [status]: described };
}

/** @returns undefined for a response that is JSON only */
function contentTypesOf(spec: Operation['spec'], response: z.ZodType): ContentTypes | undefined {
  const { returns } = spec;
  if (returns === 'file') return { 'application/octet-stream': BYTES };
  if (returns === 'raw') return { '*/*': BYTES };
  if (returns && 'oneOf' in returns) return returns.oneOf;
  if (returns) return { [returns.text.split(';')[0] ?? '']: response };
  const progress = progressOf(spec);
  return progress && { 'application/json': response, 'text/event-stream': describeProgress(progress) };
}

const describeTypes = (types: ContentTypes) =>
  Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));

/** Describes the required access, for readers of the document and for the test that tries all other callers. */
function describeAccess(level: Level, access: unknown) {
  const names = [
    'scope',
    'role',
    'orgRole',
    'unrestricted',
    'narrowedKeys',
    'platformAdmin',
    'organizationWide',
  ] as const;
  const declared = access as Record<(typeof names)[number], unknown>;
  const flags = names
    .filter((name) => declared[name] !== undefined)
    .map((name) => [toSnakeCase(name), declared[name]]);
  return { level, ...Object.fromEntries(flags) };
}

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
