/** What those who run the platform look at. */
import type { QueuedJobPage } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * For platform admins, with a credential that is not limited to an organization.
 *
 * @example
 * ```ts
 * const { items } = await drydock.platform.listJobs({ state: 'failed' });
 * console.log(items.length); // → 0
 * const text = await drydock.platform.getMetrics();
 * console.log(text.includes('drydock_http_request_duration_seconds')); // → true
 * ```
 */
export class Platform extends Resource {
  /** The jobs of all organizations, the newest first. `limit` is the size of a page; a loop reads on past it. */
  listJobs(filters?: QueryOf<'listJobs'>, options?: CallOptions): List<QueuedJobPage> {
    return this.client.list('listJobs', { ...(filters && { query: filters }) }, options);
  }

  /** In the text format of Prometheus. */
  getMetrics(options?: CallOptions): Promise<string> {
    return this.client.call('getMetrics', {}, options);
  }
}
