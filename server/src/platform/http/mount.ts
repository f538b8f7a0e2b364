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

type Enter = (request: FastifyRequest) => unknown;

export function mount(app: FastifyInstance, reader: AccountReader, groups: readonly RouteGroup[]): void {
  app.decorateRequest('scope');
  for (const group of groups) {
    for (const operation of group.operations) mountOperation(app, reader, group, operation);
  }
}

function mountOperation(
  app: FastifyInstance,
  reader: AccountReader,
  group: RouteGroup,
  operation: Operation,
): void {
  const { spec, method } = operation;
  const level = LEVELS[group.level];
  const enter = entrance(reader, group.level, operation.access);
  const path = level.params.extend(spec.params?.shape ?? {});
  const schemas = { path: spec.params && z.object(spec.params.shape), query: spec.query, body: spec.body };
  const status = spec.answer ? (spec.status ?? 200) : 204;
  const changesAccess = method !== 'GET' && altersAccess(group.level, operation.access);
  const readQuery = queryReader(spec.query);

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
      ...(spec.query && { querystring: spec.query }),
      ...(spec.body && { body: spec.body }),
      response: { [status]: spec.answer ?? NO_CONTENT, ...ERROR_RESPONSES },
    },
    // Before the body is read: a stranger's bytes are not parsed.
    onRequest: (request: FastifyRequest, _reply, done) => {
      const enterAs = (scope: unknown) => {
        (request as Entered).scope = scope;
        done();
      };
      // Without a turn of the event loop where everything is remembered, as it is for most requests.
      const scope = enter(request);
      if (scope instanceof Promise) scope.then(enterAs, done);
      else enterAs(scope);
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const given = {
        path: request.params,
        query: readQuery(request.query),
        body: request.body ?? undefined,
      };
      // A body may have taken a minute to arrive: who sent it must still be allowed to.
      const scope = method === 'GET' ? (request as Entered).scope : await enter(request);
      const { path: params, query, body } = validate(schemas, given);
      let answer: unknown;
      try {
        answer = await operation.handler({ scope, params, query, body, request } as never);
      } finally {
        // Also when it fails: a refused refresh ends its login.
        if (changesAccess) reader.forget();
      }
      reply.code(status);
      return status === 204 ? reply.send() : answer;
    },
  });
}

function entrance(reader: AccountReader, level: Level, access: unknown): Enter {
  if (level === 'public') return (request) => ({ requestId: request.id });
  const check = (request: FastifyRequest, caller: Caller) => {
    const { org = '', workspace = '' } = request.params as PlaceParams;
    if (level === 'user') return enterUser(caller, request.id, access as UserAccess);
    if (level === 'organization') return enterOrganization(caller, request.id, org, access as OrgAccess);
    return enterWorkspace(caller, request.id, org, workspace, access as WorkspaceAccess);
  };
  return (request) => {
    const { org, workspace } = request.params as PlaceParams;
    const caller = reader.find(readCredential(request.headers), org, workspace);
    return caller instanceof Promise ? caller.then((found) => check(request, found)) : check(request, caller);
  };
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
