/** The objects of a workspace, accessible to any S3 client. */
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
  /** Returns credentials valid for one hour, and only for objects under `prefix`. Request new ones before `expiration`. */
  getCredentials(where: InWorkspace, options?: CallOptions): Promise<StorageCredentialsResponse> {
    return this.client.call('getStorageCredentials', { path: where }, options);
  }
}
