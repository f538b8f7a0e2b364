/** Health of the server. */
import type { HealthResponse } from '../models.gen.ts';
import { Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const health = await drydock.health.get();
 * console.log(health.status, health.checks.database); // → ok ok
 * ```
 */
export class Health extends Resource {
  /** Needs no credential. An unhealthy server responds with an error. */
  get(options?: CallOptions): Promise<HealthResponse> {
    return this.client.call('getHealth', {}, options);
  }
}
