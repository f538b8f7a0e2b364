/** A model that an organization can call: what it is called, who answers, and what that costs. */
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
  /** `provider/name`: what callers name, and what usage is counted under. */
  readonly id: string;
  /** What its provider calls it. */
  readonly name: string;
  readonly price: Price;
  /** What is reserved for where the caller sets no limit. */
  readonly maxOutputTokens: number;
  readonly isSimulated: boolean;
  readonly chat: EmbeddingChatModel;
}

/** What is offered, by organization. */
export interface ModelCatalog {
  /** @throws {ApiError} `not_found_error` where the organization has no such provider, or the provider no such model */
  getModel(organizationId: string, id: string): OfferedModel | Promise<OfferedModel>;
}

/** Answers for models of the registry that run on this machine. */
export interface LocalModelHost {
  /** The model is started by its first call. */
  open(
    organizationId: string,
    model: { readonly model: string; readonly version: string; readonly version_id: string },
  ): ChatModel;
}
