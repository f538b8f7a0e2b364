/** Inserts transcripts of any length directly into the tables. */
import { connect, poolOf } from '@drydock/server/src/platform/db/connect.ts';
import { transaction } from '@drydock/server/src/platform/db/transaction.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { insertMessages } from '@drydock/server/src/sessions/transcript/insert-messages.ts';
import { recountSession } from '@drydock/server/src/sessions/transcript/recount.ts';
import { PlainConnection } from './plain-connection.ts';
import type { Transcript } from './session-reads.ts';
import { newMessage, newSession } from './session-samples.ts';
import type { SessionServer } from './session-writes.ts';

const STEP = 500;

export async function makeTranscript(
  server: SessionServer,
  env: Record<string, string>,
  length: number,
): Promise<Transcript> {
  const session = newSession(0);
  const connection = new PlainConnection(server.origin, server.apiKey);
  await connection.send('POST', '/sessions', JSON.stringify(session));
  connection.close();
  const { DATABASE_URL: url = '', BENCH_ORGANIZATION_ID: organizationId = '' } = env;
  const workspaceId = env.BENCH_WORKSPACE_ID ?? '';
  const db = connect({ url, poolSize: 1, namedStatements: true, log: createLog('warn') });
  try {
    for (let first = 0; first < length; first += STEP) {
      const count = Math.min(STEP, length - first);
      const messages = Array.from({ length: count }, (_, index) =>
        toNew(newMessage(first + index), session.model),
      );
      const place = { organizationId, workspaceId, sessionId: session.id };
      await transaction(db, (trx) => insertMessages(trx, place, first + 1, messages));
    }
    await transaction(db, (trx) => recountSession(trx, organizationId, session.id));
    // Replaces autovacuum, which would run sooner or later.
    for (const table of ['sessions', 'session_messages'])
      await poolOf(db)?.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await db.destroy();
  }
  return { id: session.id, length };
}

type NewMessage = Parameters<typeof insertMessages>[3][number];

function toNew({ tool_calls, ...message }: ReturnType<typeof newMessage>, model: string): NewMessage {
  return {
    ...message,
    model: message.role === 'assistant' ? model : null,
    ...(tool_calls && { tool_calls: [...tool_calls] }),
  };
}
