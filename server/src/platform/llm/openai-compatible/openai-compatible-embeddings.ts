/** Embeddings of a provider with OpenAI's API: requests and vectors pass through. */
import type { EmbeddingCall, EmbeddingModel, EmbeddingResponse, Vector } from '../embedding-model.ts';
import type { ProviderClient, ReachedProvider } from '../provider-client.ts';
import { toGarbageError } from '../provider-errors.ts';
import { parseObject } from './completion.ts';
import { findUsage } from './usage.ts';

interface EmbeddingProvider extends ReachedProvider {
  /** URL before `/embeddings`. */
  readonly baseUrl: string;
}

export class OpenAICompatibleEmbeddings implements EmbeddingModel {
  readonly #http: ProviderClient;
  readonly #provider: EmbeddingProvider;

  constructor(http: ProviderClient, provider: EmbeddingProvider) {
    this.#http = http;
    this.#provider = provider;
  }

  async embed({ request, signal, room }: EmbeddingCall): Promise<EmbeddingResponse> {
    const { baseUrl, apiKey } = this.#provider;
    const { body } = await this.#http.post({
      url: new URL(`${baseUrl.replace(/\/+$/, '')}/embeddings`),
      headers: {
        accept: 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(request),
      signal,
    });
    const fields = parseObject(await this.#http.readText({ signal, room }, body));
    const vectors = findVectors(fields?.['data']);
    if (!vectors)
      throw toGarbageError(
        this.#provider,
        'sent something that is not a list of embeddings',
        fields?.['error'],
      );
    const { usage } = fields ?? {};
    const counted = typeof usage === 'object' && usage !== null && { completion_tokens: 0, ...usage };
    return { vectors, usage: findUsage(counted) };
  }
}

/** Sorts vectors by their index, when each has one. */
function findVectors(data: unknown): Vector[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const entries = data.map((entry: unknown, place) => {
    const { embedding, index } = (entry ?? {}) as { readonly embedding?: unknown; readonly index?: unknown };
    return { embedding, index: typeof index === 'number' ? index : place };
  });
  const vectors = entries.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  return vectors.every((vector) => typeof vector === 'string' || Array.isArray(vector)) ? vectors : undefined;
}
