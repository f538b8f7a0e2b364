/** Stores the folded texts of messages for the search, in the transaction that stores the messages. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { readMessages } from '../../sessions/service.ts';
import { toMessageText } from './fold-text.ts';
import { toGramFilter } from './gram-filter.ts';

export interface SearchedMessage {
  /** Number of the message in its session. */
  readonly seq: number;
  readonly content: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments: string }[] | null | undefined;
}

export interface SampleRef {
  readonly organizationId: string;
  readonly evaluationId: string;
  readonly position: number;
}

export async function insertMessageTexts(
  trx: Trx,
  { organizationId, evaluationId, position }: SampleRef,
  messages: readonly SearchedMessage[],
): Promise<void> {
  const texts = messages.map(({ content, tool_calls }) => toMessageText(content, tool_calls));
  await sql`
    INSERT INTO evaluation_texts (organization_id, evaluation_id, position, seq, grams, text)
    SELECT ${organizationId}, ${evaluationId}, ${position}, t.seq, t.grams, t.text
      FROM unnest(${messages.map(({ seq }) => seq)}::integer[], ${texts.map(toGramFilter)}::bytea[], ${texts}::text[])
           AS t (seq, grams, text)
        ON CONFLICT DO NOTHING`.execute(trx);
}

const PAGE = 500;

/** Stores the texts of a conversation that the gateway has recorded. */
export async function insertConversationTexts(trx: Trx, sample: SampleRef, sessionId: string): Promise<void> {
  for (let afterSeq = 0; ; ) {
    const messages = await readMessages(trx, sample, sessionId, { afterSeq, limit: PAGE });
    if (messages.length === 0) return;
    await insertMessageTexts(trx, sample, messages);
    afterSeq += messages.length;
  }
}
