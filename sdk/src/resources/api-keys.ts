/** The user's API keys. */
import type { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ScopeEntry } from '../models.gen.ts';
import type { List } from '../pages.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const created = await drydock.apiKeys.create({ name: 'ci', allowed_scopes: ['projects:read'] });
 * const ci = new Drydock({ apiKey: created.key }); // the key is shown only now
 * const projects = await ci.projects.list({ org: 'main', workspace: 'main' });
 * console.log(projects.map((project) => project.key).includes('default')); // → true
 * await drydock.apiKeys.delete(created);
 * ```
 */
export class ApiKeys extends Resource {
  /** Lists all keys of the user, without the secrets. */
  list(options?: CallOptions): List<ApiKey[]> {
    return this.client.list('listApiKeys', {}, options);
  }

  /** Creates a key. The response contains the key itself, which is shown only once. */
  create(request: ApiKeyCreateRequest, options?: CallOptions): Promise<ApiKeyCreated> {
    return this.client.call('createApiKey', { body: request }, options);
  }

  /** Lists the scopes that a key can be limited to. */
  listScopes(options?: CallOptions): List<ScopeEntry[]> {
    return this.client.list('listApiKeyScopes', {}, options);
  }

  /** Deletes a key, which stops working everywhere within a second. */
  delete(where: { readonly id: string }, options?: CallOptions): Promise<void> {
    return this.client.call('deleteApiKey', { path: where }, options);
  }

  /** Ends the key that this client uses, if it was made with `allow_self_revoke`. */
  deleteOwn(options?: CallOptions): Promise<void> {
    return this.client.call('deleteOwnApiKey', {}, options);
  }
}
