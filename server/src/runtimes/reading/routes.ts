import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { getRuntime } from '../lookup.ts';
import { Runtime, RuntimeParams } from '../schema.ts';
import { listRuntimes } from './list.ts';
import { RuntimePage, runtimeQuery } from './schema.ts';

export function readingRoutes(db: Db, signer: Signer) {
  return workspaceRoutes('Runtimes', (on) => {
    const read = { scope: 'runtimes:read', role: 'reader' } as const;

    on.get(
      '/runtimes',
      {
        ...read,
        id: 'listRuntimes',
        summary: 'List the runtimes of a workspace, newest first',
        query: runtimeQuery,
        response: RuntimePage,
      },
      ({ scope, query }) => listRuntimes(db, signer, scope, query),
    );

    on.get(
      '/runtimes/:runtime',
      { ...read, id: 'getRuntime', summary: 'Get a runtime', params: RuntimeParams, response: Runtime },
      ({ scope, params }) => getRuntime(db, scope, params.runtime),
    );
  });
}
