/** What a document says of a session, whatever its format: what an import stores. */
import type { SAVED_ORIGINS } from '../schema.ts';
import type { MessageRequest } from '../transcript/schema.ts';

export interface ImportedSession {
  /** That of the document; taken where it is free. */
  readonly id?: string | undefined;
  readonly title: string | null;
  readonly model: string;
  readonly agent: string | null;
  readonly labels?: Record<string, string[]> | undefined;
  readonly origin?: (typeof SAVED_ORIGINS)[number] | undefined;
  /** The first message has the number 1. */
  readonly prompts: readonly { readonly from_seq: number; readonly content: string }[];
  readonly tools: unknown[] | null;
  /** What has no place of its own, under the name of the format: an export in that format says it again. */
  readonly imported: Record<string, unknown> | null;
  readonly messages: readonly ImportedMessage[];
  /** By their boundaries. */
  readonly compactions: readonly { readonly up_to_seq: number; readonly summary_seq: number }[];
}

export interface ImportedMessage extends Omit<MessageRequest, 'id'> {
  readonly model: string | null;
  readonly created_at?: string | undefined;
}
