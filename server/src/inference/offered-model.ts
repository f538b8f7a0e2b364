/** A model that an organization can call: its names, its client, and its price. */
import type { ChatModel } from '../platform/llm/chat-model.ts';
import type { EmbeddingChatModel } from '../platform/llm/embedding-model.ts';

/** US dollars per million tokens. */
export interface Price {
  readonly input_price: number;
  readonly output_price: number;
  readonly cache_read_price: number;
  readonly cache_creation_price: number;
}

export interface OfferedModel {
  /** `provider/name`: the id in requests and in usage. */
  readonly id: string;
  /** Name of the model at its provider. */
  readonly name: string;
  readonly price: Price;
  /** Output tokens to reserve when the caller sets no limit. */
  readonly maxOutputTokens: number;
  readonly isSimulated: boolean;
  readonly chat: EmbeddingChatModel;
}

/** Offered models by organization. */
export interface ModelCatalog {
  /** @throws {ApiError} `not_found_error` when the organization has no such provider, or the provider no such model */
  getModel(organizationId: string, id: string): OfferedModel | Promise<OfferedModel>;
}

/** Runs models of the registry on this machine. */
export interface LocalModelHost {
  /** Starts the model on its first call. */
  open(
    organizationId: string,
    model: { readonly model: string; readonly version: string; readonly version_id: string },
  ): ChatModel;
}
