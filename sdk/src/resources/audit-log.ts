/** Changes in an organization with their authors, newest first. */
import type { AuditLogPage } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * await drydock.projects.create({ org: 'main', workspace: 'main' }, { name: 'Audited' });
 * const { items } = await drydock.auditLog.list({ org: 'main' }, { action: 'project.created', limit: 1 });
 * console.log(items[0]?.actor?.username); // → owner
 * ```
 */
export class AuditLog extends Resource {
  /** Lists entries. `limit` is the page size; a loop continues past it. */
  list(where: InOrganization, filters?: QueryOf<'listAuditLog'>, options?: CallOptions): List<AuditLogPage> {
    return this.client.list('listAuditLog', { path: where, ...(filters && { query: filters }) }, options);
  }
}
