/** Anthropic's and Google's models as chat models. The translation is loaded on the first call. */
import type { GuardedClient } from '../../net/guarded-client.ts';
import { AnthropicModel } from '../anthropic/anthropic-model.ts';
import { type ChatCall, type ChatModel, type ChatResponse, NATIVE, type StreamPiece } from '../chat-model.ts';
import type { EmbeddingCall, EmbeddingModel, EmbeddingResponse } from '../embedding-model.ts';
import type { TranslatedProvider } from './translated-provider.ts';

export class TranslatedModel implements ChatModel {
  readonly #client: GuardedClient;
  readonly #provider: TranslatedProvider;
  /** Passes on requests that clients have sent in the provider's own API. */
  readonly native: AnthropicModel | undefined;
  /** Undefined for Anthropic, which has no embeddings. */
  readonly embeddings: EmbeddingModel | undefined;

  constructor(client: GuardedClient, provider: TranslatedProvider) {
    this.#client = client;
    this.#provider = provider;
    if (provider.kind === 'anthropic') this.native = new AnthropicModel(client, provider);
    else this.embeddings = { embed: (call) => this.#embed(call) };
  }

  async complete(call: ChatCall): Promise<ChatResponse> {
    if (this.native && call.request[NATIVE]) return this.native.complete(call);
    const { complete } = await import('./translated-call.ts');
    return complete(this.#client, this.#provider, call);
  }

  async stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>> {
    if (this.native && call.request[NATIVE]) return this.native.stream(call);
    const { stream } = await import('./translated-call.ts');
    return stream(this.#client, this.#provider, call);
  }

  async #embed(call: EmbeddingCall): Promise<EmbeddingResponse> {
    const { embed } = await import('./google-embeddings.ts');
    return embed(this.#client, this.#provider, call);
  }
}
