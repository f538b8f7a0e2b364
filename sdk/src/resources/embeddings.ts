/** Vectors of texts, by the embedding models of an organization. */
import type { EmbeddingList, EmbeddingRequest } from '../models.gen.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const input = ['The ship is in the dock.', 'A ship in a dock'];
 * const { data } = await drydock.embeddings.create({ org: 'main' }, { model: 'sim/embedder', input });
 * console.log(data.map(({ embedding }) => embedding.length).join(' ')); // → 256 256
 * ```
 */
export class Embeddings extends Resource {
  create(where: InOrganization, request: EmbeddingRequest, options?: CallOptions): Promise<EmbeddingList> {
    return this.client.call('createEmbeddings', { path: where, body: request }, options);
  }
}
