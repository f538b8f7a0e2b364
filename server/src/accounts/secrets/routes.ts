import type { Db } from '../../platform/db/connect.ts';
import { userRoutes } from '../../platform/http/operations.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import {
  Secret,
  SecretCreateRequest,
  SecretListResponse,
  SecretReplaceRequest,
  secretIdParam,
  secretQuery,
} from './schema.ts';
import { createSecret, deleteSecret, getSecret, listSecrets, replaceSecret } from './store.ts';

const READ = { scope: 'user:read', unrestricted: true } as const;
const WRITE = { scope: 'user:write', unrestricted: true } as const;

export function secretRoutes(db: Db, vault: Vault) {
  return userRoutes('Secrets', (on) => {
    on.get(
      '/user/secrets',
      {
        id: 'listSecrets',
        summary: 'List your secrets by name',
        ...READ,
        query: secretQuery,
        response: SecretListResponse,
      },
      ({ scope, query }) => listSecrets(db, scope, query),
    );

    on.post(
      '/user/secrets',
      {
        id: 'createSecret',
        summary: 'Store a secret',
        description: 'The value never comes back; it can only be used.',
        ...WRITE,
        body: SecretCreateRequest,
        response: Secret,
        status: 201,
      },
      ({ scope, body }) => createSecret(db, vault, scope, body),
    );

    on.get(
      '/user/secrets/:id',
      {
        id: 'getSecret',
        summary: 'Get a secret without its value',
        ...READ,
        params: secretIdParam,
        response: Secret,
      },
      ({ scope, params }) => getSecret(db, scope, params.id),
    );

    on.put(
      '/user/secrets/:id',
      {
        id: 'replaceSecret',
        summary: "Replace a secret's value",
        ...WRITE,
        params: secretIdParam,
        body: SecretReplaceRequest,
        response: Secret,
      },
      ({ scope, params, body }) => replaceSecret(db, vault, scope, params.id, body),
    );

    on.delete(
      '/user/secrets/:id',
      { id: 'deleteSecret', summary: 'Delete a secret', ...WRITE, params: secretIdParam },
      ({ scope, params }) => deleteSecret(db, scope, params.id),
    );
  });
}
