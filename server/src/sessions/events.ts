/** Events of a session's live tail. Each is written together with the change, under the session's lock. */
import type { z } from 'zod';
import type { Trx } from '../platform/db/transaction.ts';
import { appendEvents, type NewEvent } from '../platform/events/event-log.ts';
import { SessionResponse } from './schema.ts';

/** The fields of a session that may change, except for its transcript. */
export const SessionStateEvent = SessionResponse.pick({
  title: true,
  model: true,
  agent: true,
  labels: true,
  visibility: true,
  archived_at: true,
  frozen_at: true,
  frozen_by: true,
  updated_at: true,
}).meta({ id: 'SessionStateEvent' });

export type SessionState = z.output<typeof SessionStateEvent>;

/** Picks the fields of a session that a state event contains. */
export const toStateEvent = (state: SessionState): NewEvent => ({
  type: 'session',
  data: SessionStateEvent.parse(state),
});

export async function appendState(
  trx: Trx,
  { organizationId }: { readonly organizationId: string },
  sessionId: string,
  state: SessionState,
): Promise<void> {
  await appendEvents(trx, { organizationId, streamId: sessionId }, [toStateEvent(state)]);
}
