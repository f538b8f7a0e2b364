import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { givenLimits } from '../config/canonical-config.ts';
import { RuntimeCreateResponse } from '../schema.ts';
import { RuntimeCreateRequest } from './schema.ts';
import { createRuntime } from './store.ts';

export function creationRoutes(db: Db) {
  return workspaceRoutes('Runtimes', (on) => {
    on.post(
      '/runtimes',
      {
        id: 'createRuntime',
        summary: 'Create a runtime, or find the one that has its key',
        description:
          'A runtime is known by its key in its workspace. One that is there is answered as it is, whatever else is asked: ' +
          '`created` tells which it was.',
        scope: 'runtimes:write',
        role: 'contributor',
        body: RuntimeCreateRequest.prefault({}),
        response: RuntimeCreateResponse,
        status: '201 or 200',
      },
      async ({ scope, body, request, ignore }) => {
        const given = (request.body ?? {}) as Readonly<Record<string, unknown>>;
        const runtime = await createRuntime(db, scope, body, givenLimits(given['config']));
        if (runtime.created) return runtime;
        const identity = body.key === undefined ? 'name' : 'key';
        ignore(Object.keys(given).flatMap((name) => (name === identity ? [] : [['body', name]])));
        return Reply.existing(runtime);
      },
    );
  });
}
