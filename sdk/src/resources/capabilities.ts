/** Capabilities: agents, tools, skills and servers for a runtime, published in immutable versions. */
import type { CapabilityJourneyResponse } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import type { OneCapability } from '../resource.ts';
import type { CallOptions } from '../transport.ts';
import { Artifacts } from './artifacts.ts';

/**
 * @example
 * ```ts
 * import { execFileSync } from 'node:child_process';
 * import { mkdtempSync, writeFileSync } from 'node:fs';
 *
 * const folder = mkdtempSync('/tmp/capability-');
 * writeFileSync(
 *   `${folder}/capability.yaml`,
 *   'schema: 1\nname: notes\nversion: 1.0.0\ndescription: Takes notes\nmcp: {servers: {notes: {command: notes}}}\n',
 * );
 * const bundle = execFileSync('tar', ['czf', '-', '-C', folder, '.']);
 * const where = { org: 'main', name: 'notes', version: '1.0.0' };
 * const published = await drydock.capabilities.publish(where, new Uint8Array(bundle));
 * console.log(published.component_counts['mcp_servers']); // → 1
 * await drydock.capabilities.updateVisibility({ org: 'main', name: 'notes' }, { is_public: true });
 * ```
 */
export class Capabilities extends Artifacts<'Capability'> {
  protected override readonly kind = 'Capability';

  /** Lists versions by publication, newest first, each with its changes, its origin and its results in the workspace. */
  journey(
    where: OneCapability,
    filters?: QueryOf<'getCapabilityJourney'>,
    options?: CallOptions,
  ): List<CapabilityJourneyResponse> {
    return this.client.list(
      'getCapabilityJourney',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }
}
