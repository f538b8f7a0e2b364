/** Models of any provider, called through the server: providers, models and prices. */
import type {
  InferenceModelEntry,
  InferenceModelList,
  InferenceProvider,
  InferenceProvidersReplaceRequest,
} from '../models.gen.ts';
import type { List } from '../pages.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/** A model: by its id, `provider/name`. */
interface OneModel extends InOrganization {
  readonly path: string;
}

/**
 * @example
 * ```ts
 * const where = { org: 'main' };
 * await drydock.inference.replaceProviders(where, {
 *   providers: [
 *     {
 *       name: 'openai',
 *       kind: 'openai_compatible',
 *       base_url: 'https://api.openai.com/v1',
 *       api_key: process.env['OPENAI_API_KEY'] ?? null,
 *       models: [{ name: 'gpt-4o-mini', input_price: 0.15, output_price: 0.6, cache_read_price: 0.075 }],
 *     },
 *   ],
 * });
 * const model = await drydock.inference.getModel({ ...where, path: 'openai/gpt-4o-mini' });
 * console.log(model.owned_by, model.output_price); // → openai 0.6
 *
 * const { data } = await drydock.inference.listModels(where);
 * console.log(data.filter(({ simulated }) => simulated).map(({ id }) => id).join(' ')); // → sim/echo sim/scripted sim/tool-user sim/noisy-tool-user sim/instructed sim/reflector sim/guarded sim/attacker sim/judge sim/embedder
 * ```
 */
export class Inference extends Resource {
  /** Lists the providers of an organization with their models and prices, without keys. */
  listProviders(where: InOrganization, options?: CallOptions): List<InferenceProvider[]> {
    return this.client.list('listInferenceProviders', { path: where }, options);
  }

  /** Replaces the whole list. An omitted key is kept as long as the provider's origin stays the same; null removes it. */
  replaceProviders(
    where: InOrganization,
    request: InferenceProvidersReplaceRequest,
    options?: CallOptions,
  ): Promise<InferenceProvider[]> {
    return this.client.call('replaceInferenceProviders', { path: where, body: request }, options);
  }

  /** Lists the available models in OpenAI's form, with prices. */
  listModels(where: InOrganization, options?: CallOptions): Promise<InferenceModelList> {
    return this.client.call('listInferenceModels', { path: where }, options);
  }

  getModel(where: OneModel, options?: CallOptions): Promise<InferenceModelEntry> {
    return this.client.call('getInferenceModel', { path: where }, options);
  }
}
