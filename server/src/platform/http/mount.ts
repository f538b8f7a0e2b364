/** Puts declared operations onto the server: checks, validation, answer, in the order that decisions fix. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readCredential } from '../auth/credential.ts';
import {
  type AccountReader,
  type Caller,
  enterOrganization,
  enterUser,
  enterWorkspace,
  isAdministration,
  type OrgAccess,
  type UserAccess,
  type WorkspaceAccess,
} from '../auth/gate.ts';
import type { Principal } from '../auth/principal.ts';
import {
  documentedIdempotencyHeader,
  type Idempotency,
  idempotencyHeader,
  type KeyedCall,
} from '../idempotency/idempotency.ts';
import { type Admit, rateClassOf } from '../limits/admission.ts';
import { ErrorResponse } from './error-answers.ts';
import { ERROR_STATUSES } from './errors.ts';
import { LEVELS, type Level, type Operation, type RouteGroup } from './operations.ts';
import { queryReader } from './query-parameters.ts';
import { validate } from './validation.ts';

export const API_PREFIX = '/api/v1';

const ERROR_RESPONSES = Object.fromEntries(ERROR_STATUSES.map((status) => [status, ErrorResponse]));

const NO_CONTENT = z.null().describe('Done');

/** A request carries its scope from the entrance to the handler. */
type Entered = FastifyRequest & { scope: unknown };

/** What every operation is mounted behind. */
export interface Checks {
  readonly reader: AccountReader;
  readonly admit: Admit;
  readonly idempotency: Idempotency;
}

export function mount(app: FastifyInstance, checks: Checks, groups: readonly RouteGroup[]): void {
  app.decorateRequest('scope');
  for (const group of groups) {
    for (const operation of group.operations) mountOperation(app, checks, group, operation);
  }
}

function mountOperation(app: FastifyInstance, checks: Checks, group: RouteGroup, operation: Operation): void {
  const { spec, method } = operation;
  const level = LEVELS[group.level];
  const entrance = createEntrance(checks, group.level, operation);
  const path = level.params.extend(spec.params?.shape ?? {});
  const status = spec.answer ? (spec.status ?? 200) : 204;

  app.route({
    method,
    url: API_PREFIX + level.prefix + operation.path,
    ...(spec.bodyLimitBytes && { bodyLimit: spec.bodyLimitBytes }),
    schema: {
      operationId: spec.id,
      summary: spec.summary,
      ...(spec.description && { description: spec.description }),
      tags: [group.tag],
      ...(group.level === 'public' && { security: [] }),
      'x-access': describeAccess(group.level, operation.access),
      ...(Object.keys(path.shape).length > 0 && { params: path }),
      ...(takesIdempotencyKey(group.level, operation) && { headers: documentedIdempotencyHeader }),
      ...(spec.query && { querystring: spec.query }),
      ...(spec.body && { body: spec.body }),
      response: { [status]: spec.answer ?? NO_CONTENT, ...ERROR_RESPONSES },
    },
    // Before the body is read: a stranger's bytes are not parsed.
    onRequest: (request: FastifyRequest, reply: FastifyReply, done) => {
      const enterAs = (scope: unknown) => {
        (request as Entered).scope = scope;
        done();
      };
      // Without a turn of the event loop where everything is remembered, as it is for most requests.
      const scope = entrance.enter(request, reply);
      if (scope instanceof Promise) scope.then(enterAs, done);
      else enterAs(scope);
    },
    handler: createHandler(checks, group.level, operation, entrance, status),
  });
}

function createHandler(
  { reader, idempotency }: Checks,
  level: Level,
  operation: Operation,
  entrance: Entrance,
  status: number,
) {
  const { spec, method } = operation;
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
    const run = async () => {
      try {
        return await operation.handler({ scope, params, query, body, request } as never);
      } finally {
        // Also when it fails: a refused refresh ends its login.
        if (changesAccess) reader.forget();
      }
    };
    const key = isKeyed ? (header as z.output<typeof idempotencyHeader>)['idempotency-key'] : undefined;
    if (key !== undefined) {
      const { userId } = (scope as { principal: Principal }).principal;
      const [path = ''] = request.url.split('?', 1);
      const call = { userId, method, path, key, body: given.body, query: given.query };
      return answerOnce(idempotency, call, reply.code(status), run);
    }
    const answer = await run();
    reply.code(status);
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

function takesIdempotencyKey(level: Level, { method, spec }: Operation): boolean {
  const isUnlessSaid = method === 'POST' && (level === 'organization' || level === 'workspace');
  return spec.idempotency ?? isUnlessSaid;
}

interface Entrance {
  /** Everything in its order: who calls, whether they may ask, what they may do here. */
  readonly enter: (request: FastifyRequest, reply: FastifyReply) => unknown;
  /** Only who, and what they may do. */
  readonly enterAgain: (request: FastifyRequest) => unknown;
}

function createEntrance({ reader, admit }: Checks, level: Level, operation: Operation): Entrance {
  const { access, method, spec } = operation;
  const rateClass = spec.unlimited ? undefined : (spec.rateClass ?? rateClassOf(method));
  if (level === 'public') {
    const enterAgain = (request: FastifyRequest) => ({ requestId: request.id });
    const enter = (request: FastifyRequest, reply: FastifyReply) =>
      after(admit({ request, reply, principal: undefined, rateClass }), () => enterAgain(request));
    return { enter, enterAgain };
  }
  const check = (request: FastifyRequest, caller: Caller) => {
    const { org = '', workspace = '' } = request.params as PlaceParams;
    if (level === 'user') return enterUser(caller, request.id, access as UserAccess);
    if (level === 'organization') return enterOrganization(caller, request.id, org, access as OrgAccess);
    return enterWorkspace(caller, request.id, org, workspace, access as WorkspaceAccess);
  };
  const identify = (request: FastifyRequest) => {
    const { org, workspace } = request.params as PlaceParams;
    return reader.find(readCredential(request.headers), org, workspace);
  };
  return {
    enter: (request, reply) =>
      after(identify(request), (caller) => {
        const { principal } = caller;
        return after(admit({ request, reply, principal, rateClass }), () => check(request, caller));
      }),
    enterAgain: (request) => after(identify(request), (caller) => check(request, caller)),
  };
}

/** In the same turn of the event loop where the value is there. */
function after<T, R>(value: T | Promise<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

interface PlaceParams {
  readonly org?: string;
  readonly workspace?: string;
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

/** Signing in and out, and changing accounts: what was remembered about callers may be wrong from then on. */
function altersAccess(level: Level, access: unknown): boolean {
  return level === 'public' || isAdministration((access as UserAccess).scope);
}
