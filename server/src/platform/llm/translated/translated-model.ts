/** Models of Anthropic and Google as chat models. What translates is loaded with the first call. */
import type { GuardedClient } from '../../net/guarded-client.ts';
import type { ChatCall, ChatModel, ChatResponse, StreamPiece } from '../chat-model.ts';
import type { TranslatedProvider } from './translated-provider.ts';

export class TranslatedModel implements ChatModel {
  readonly #client: GuardedClient;
  readonly #provider: TranslatedProvider;

  constructor(client: GuardedClient, provider: TranslatedProvider) {
    this.#client = client;
    this.#provider = provider;
  }

  async complete(call: ChatCall): Promise<ChatResponse> {
    const { complete } = await import('./translated-call.ts');
    return complete(this.#client, this.#provider, call);
  }

  async stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>> {
    const { stream } = await import('./translated-call.ts');
    return stream(this.#client, this.#provider, call);
  }
}
