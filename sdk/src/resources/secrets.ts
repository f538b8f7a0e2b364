/** The user's secrets: values that are kept encrypted and never shown again. */
import type { Secret, SecretCreateRequest, SecretListResponse, SecretReplaceRequest } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

interface OneSecret {
  readonly id: string;
}

/**
 * @example
 * ```ts
 * const secret = await drydock.secrets.create({ name: 'MODEL_KEY', value: 'sk-1' });
 * await drydock.secrets.replace(secret, { value: 'sk-2' });
 * console.log((await drydock.secrets.get(secret)).name); // → MODEL_KEY
 * await drydock.secrets.delete(secret);
 * ```
 */
export class Secrets extends Resource {
  /** Lists all secrets of the user with masked values. */
  list(filters?: QueryOf<'listSecrets'>, options?: CallOptions): List<SecretListResponse> {
    return this.client.list('listSecrets', { ...(filters && { query: filters }) }, options);
  }

  /** Stores a value under a name. */
  create(request: SecretCreateRequest, options?: CallOptions): Promise<Secret> {
    return this.client.call('createSecret', { body: request }, options);
  }

  /** Returns one secret with a masked value. */
  get(where: OneSecret, options?: CallOptions): Promise<Secret> {
    return this.client.call('getSecret', { path: where }, options);
  }

  /** Sets another value and, when given, another name. */
  replace(where: OneSecret, request: SecretReplaceRequest, options?: CallOptions): Promise<Secret> {
    return this.client.call('replaceSecret', { path: where, body: request }, options);
  }

  /** Deletes the value permanently. */
  delete(where: OneSecret, options?: CallOptions): Promise<void> {
    return this.client.call('deleteSecret', { path: where }, options);
  }
}
