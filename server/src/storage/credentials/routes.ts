import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { ObjectStorage, StorageGrant } from '../../platform/object-storage/object-storage.ts';
import { workspacePrefix } from '../../platform/object-storage/prefixes.ts';
import { CREDENTIALS_SECONDS } from '../../platform/object-storage/write-times.ts';
import { StorageCredentialsResponse } from './schema.ts';

export function credentialRoutes(storage: ObjectStorage) {
  return workspaceRoutes('Storage', (on) => {
    on.get(
      '/storage/credentials',
      {
        id: 'getStorageCredentials',
        summary: "Get temporary credentials for the workspace's objects",
        description:
          'For any S3 client, for one hour. They reach the objects under `prefix` and nothing else. They can only ' +
          'read when the caller is a reader of the workspace, or the API key does not have the scope `storage:write`.',
        scope: 'storage:read',
        role: 'reader',
        response: StorageCredentialsResponse,
      },
      async ({ scope }) => {
        const prefix = workspacePrefix(scope.organizationId, scope.workspaceId);
        const issued = await storage.issueCredentials(
          { prefix, access: accessOf(scope) },
          CREDENTIALS_SECONDS,
        );
        return {
          access_key_id: issued.accessKeyId,
          secret_access_key: issued.secretAccessKey,
          session_token: issued.sessionToken,
          bucket: storage.bucket,
          prefix,
          region: issued.region,
          endpoint: issued.endpoint,
          expiration: issued.expiresAt.toISOString(),
        };
      },
    );
  });
}

/** Requesting credentials is a read operation, so the access they grant is limited here. */
function accessOf({ workspaceRole, principal }: WorkspaceScope): StorageGrant['access'] {
  const scopes = principal.apiKey?.scopes;
  const mayWrite = workspaceRole !== 'reader' && (!scopes || scopes.has('storage:write'));
  return mayWrite ? 'write' : 'read';
}
