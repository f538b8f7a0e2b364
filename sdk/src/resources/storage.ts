/** The objects of a workspace, which any S3 client reads and writes. */
import type { StorageCredentialsResponse } from '../models.gen.ts';
import { type InWorkspace, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const credentials = await drydock.storage.getCredentials({ org: 'main', workspace: 'main' });
 * // What @aws-sdk/client-s3 wants to know:
 * const s3 = {
 *   endpoint: credentials.endpoint ?? undefined,
 *   region: credentials.region,
 *   forcePathStyle: credentials.endpoint !== null,
 *   credentials: {
 *     accessKeyId: credentials.access_key_id,
 *     secretAccessKey: credentials.secret_access_key,
 *     sessionToken: credentials.session_token,
 *   },
 * };
 * const key = `${credentials.prefix}notes/first.txt`;
 * console.log(s3.region, key.startsWith('orgs/')); // → local true
 * ```
 */
export class Storage extends Resource {
  /** For one hour, for what lies under `prefix` and nothing else. Ask again before `expiration`. */
  getCredentials(where: InWorkspace, options?: CallOptions): Promise<StorageCredentialsResponse> {
    return this.client.call('getStorageCredentials', { path: where }, options);
  }
}
