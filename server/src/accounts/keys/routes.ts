import { z } from 'zod';
import { actionsOf, RESOURCES } from '../../platform/auth/scopes.ts';
import type { Db } from '../../platform/db/connect.ts';
import { userRoutes } from '../../platform/http/operations.ts';
import { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, keyIdParam, ScopeEntry } from './schema.ts';
import { createKey, deleteKey, deleteOwnKey, listKeys } from './store.ts';

export function keyRoutes(db: Db) {
  return userRoutes('API keys', (on) => {
    on.get(
      '/user/api-keys',
      {
        id: 'listApiKeys',
        summary: 'List your API keys',
        scope: 'user:read',
        unrestricted: true,
        response: z.array(ApiKey),
      },
      ({ scope }) => listKeys(db, scope),
    );

    on.post(
      '/user/api-keys',
      {
        id: 'createApiKey',
        summary: 'Create an API key',
        description: 'The key is shown only in this response.',
        scope: 'user:write',
        unrestricted: true,
        body: ApiKeyCreateRequest,
        response: ApiKeyCreated,
        status: 201,
      },
      ({ scope, body }) => createKey(db, scope, body),
    );

    on.get(
      '/user/api-keys/scopes',
      {
        id: 'listApiKeyScopes',
        summary: 'List what an API key can be limited to',
        scope: 'user:read',
        unrestricted: true,
        response: z.array(ScopeEntry),
      },
      () => RESOURCES.map((resource) => ({ resource, actions: actionsOf(resource) })),
    );

    on.delete(
      '/user/api-keys/self',
      {
        id: 'deleteOwnApiKey',
        summary: 'End the API key that makes this call',
        scope: 'user:write',
        narrowedKeys: true,
      },
      ({ scope }) => deleteOwnKey(db, scope),
    );

    on.delete(
      '/user/api-keys/:id',
      {
        id: 'deleteApiKey',
        summary: 'Delete an API key',
        scope: 'user:write',
        unrestricted: true,
        params: keyIdParam,
      },
      ({ scope, params }) => deleteKey(db, scope, params.id),
    );
  });
}
