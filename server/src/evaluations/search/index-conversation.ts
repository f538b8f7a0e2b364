/** Stores the texts of a conversation that the gateway has recorded, for the search in its evaluation. */
import type { Trx } from '../../platform/db/transaction.ts';
import { readMessages } from '../../sessions/service.ts';
import { insertMessageTexts, type SampleRef } from './message-texts.ts';

const PAGE = 500;

export async function indexConversation(trx: Trx, sample: SampleRef, sessionId: string): Promise<void> {
  for (let afterSeq = 0; ; ) {
    const messages = await readMessages(trx, sample, sessionId, { afterSeq, limit: PAGE });
    if (messages.length === 0) return;
    await insertMessageTexts(trx, sample, messages);
    afterSeq += messages.length;
  }
}
