/** Lineage: what a version was made from, and what was made from it. */
import type { LineageResponse } from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const id = crypto.randomUUID();
 * await drydock.sessions.save(where, { id, model: 'acme/large' });
 * const messages = [{ role: 'assistant' as const, content: 'Hello' }];
 * await drydock.transcripts.append({ ...where, session_id: id }, { messages });
 * const dataset = { name: 'of-one-session', version: '1.0.0' };
 * await drydock.datasets.createFromSessions(where, { ...dataset, session_ids: [id] });
 *
 * const lineage = await drydock.lineage.get({ org: 'main' }, { kind: 'dataset', ...dataset });
 * console.log(lineage.nodes[0]?.kind, lineage.nodes[0]?.distance); // → session -1
 * const made = await drydock.sessions.getLineage({ ...where, session_id: id }, { direction: 'down' });
 * console.log(made.nodes[0]?.name); // → of-one-session
 * ```
 */
export class Lineage extends Resource {
  /** Returns the nearest nodes first, with the edges between them. */
  get(where: InOrganization, query: QueryOf<'getLineage'>, options?: CallOptions): Promise<LineageResponse> {
    return this.client.call('getLineage', { path: where, query }, options);
  }
}
