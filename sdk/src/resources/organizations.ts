/** Organizations. */
import type { Organization, OrganizationUpdateRequest } from '../models.gen.ts';
import type { List } from '../pages.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * for await (const organization of drydock.organizations.list()) {
 *   console.log(organization.key); // → main
 * }
 * ```
 */
export class Organizations extends Resource {
  /** Lists the organizations of the user. */
  list(options?: CallOptions): List<Organization[]> {
    return this.client.list('listOrganizations', {}, options);
  }

  /** Returns one organization, by its slug. */
  get(where: InOrganization, options?: CallOptions): Promise<Organization> {
    return this.client.call('getOrganization', { path: where }, options);
  }

  /** Changes the given fields; requires an admin. */
  update(
    where: InOrganization,
    changes: OrganizationUpdateRequest,
    options?: CallOptions,
  ): Promise<Organization> {
    return this.client.call('updateOrganization', { path: where, body: changes }, options);
  }
}
