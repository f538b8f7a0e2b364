/** A session that was read from a document of any format: the input of an import. */
import type { SAVED_ORIGINS } from '../schema.ts';
import type { MessageRequest } from '../transcript/schema.ts';

export interface ImportedSession {
  /** The id that the document has; used if it is free. */
  readonly id?: string | undefined;
  readonly title: string | null;
  readonly model: string;
  readonly agent: string | null;
  readonly labels?: Record<string, string[]> | undefined;
  readonly origin?: (typeof SAVED_ORIGINS)[number] | undefined;
  /** The first message has the sequence number 1. */
  readonly prompts: readonly { readonly from_seq: number; readonly content: string }[];
  readonly tools: unknown[] | null;
  /** Members without a field of their own, under the name of the format: an export in the same format returns them. */
  readonly imported: Record<string, unknown> | null;
  readonly messages: readonly ImportedMessage[];
  /** Compactions, ordered by their boundaries. */
  readonly compactions: readonly { readonly up_to_seq: number; readonly summary_seq: number }[];
}

export interface ImportedMessage extends Omit<MessageRequest, 'id'> {
  readonly model: string | null;
  readonly created_at?: string | undefined;
}
