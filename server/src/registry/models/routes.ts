import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { Alias, ModelAliasRequest } from '../alias.ts';
import { DETAILS } from '../artifacts/schema.ts';
import { deleteAlias, setAlias } from './store.ts';

const params = z.object({ name: z.string(), alias: Alias });

export function aliasRoutes(db: Db) {
  return orgRoutes('Models', (on) => {
    on.put(
      '/models/:name/aliases/:alias',
      {
        id: 'setModelAlias',
        summary: 'Point an alias to a version of a model',
        description:
          'Replaces the version that the alias pointed to. Reads of a model accept an alias in place of a version.',
        scope: 'models:write',
        role: 'member',
        params,
        body: ModelAliasRequest,
        response: DETAILS.model,
      },
      ({ scope, params: { name, alias }, body }) => setAlias(db, scope, name, alias, body.version),
    );

    on.delete(
      '/models/:name/aliases/:alias',
      {
        id: 'deleteModelAlias',
        summary: 'Delete an alias of a model',
        scope: 'models:write',
        role: 'member',
        params,
      },
      ({ scope, params: { name, alias } }) => deleteAlias(db, scope, name, alias),
    );
  });
}
