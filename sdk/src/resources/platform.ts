/** Information for operators of the platform. */
import type { QueuedJobPage } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * Operations for platform admins, with a credential that is not limited to an organization.
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
  /** Lists the jobs of all organizations, newest first. `limit` is the page size; a loop continues past it. */
  listJobs(filters?: QueryOf<'listJobs'>, options?: CallOptions): List<QueuedJobPage> {
    return this.client.list('listJobs', { ...(filters && { query: filters }) }, options);
  }

  /** Returns metrics in the text format of Prometheus. */
  getMetrics(options?: CallOptions): Promise<string> {
    return this.client.call('getMetrics', {}, options);
  }
}
