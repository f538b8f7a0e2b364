/**
 * The sessions that record the calls of one root session: the root, and a sibling for each conversation that does not continue another,
 * such as that of a sub-agent or one that its agent has compacted.
 */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { insertGroup } from '../groups/store.ts';
import { type LockedSession, lockOwnSession } from '../lookup.ts';
import { changeSession } from '../metadata/changes.ts';
import { createSession } from '../save/store.ts';
import type { ORIGINS } from '../schema.ts';
import { readMessages } from '../transcript/read-messages.ts';
import { digestBeginnings, NO_MESSAGES } from './digests.ts';

export interface RootSession extends LockedSession {
  readonly title: string | null;
  readonly agent: string | null;
  readonly origin: (typeof ORIGINS)[number];
  readonly group_id: string | null;
  readonly project_id: string | null;
  readonly runtime_id: string | null;
  readonly rewind_count: number;
  /** Whether the workspace stores prompts and responses. */
  readonly record_content: boolean;
}

/** A session that a request continues. */
export interface Continued {
  readonly sessionId: string;
  /** Number of messages of the request that are stored already. */
  readonly messageCount: number;
  readonly contextDigest: Buffer | undefined;
  /** Sequence number of an interrupted response at the end of the session. */
  readonly interruptedSeq: number | null;
}

export const lockRoot = (trx: Trx, scope: WorkspaceScope, id: string): Promise<RootSession> =>
  lockOwnSession<Omit<RootSession, keyof LockedSession>>(
    trx,
    scope,
    id,
    sql`, s.title, s.agent, s.origin, s.group_id, s.project_id, s.runtime_id, s.rewind_count,
      (SELECT w.record_content FROM workspaces AS w
        WHERE w.organization_id = s.organization_id AND w.id = s.workspace_id) AS record_content`,
  );

interface RecordingRow {
  readonly session_id: string;
  readonly message_count: number;
  readonly context_digest: Buffer;
  readonly interrupted_seq: number | null;
}

/** A digest is valid while the session has not changed otherwise. A frozen session is not continued. */
const IS_CURRENT = sql`r.last_seq = s.last_seq AND r.rewind_count = s.rewind_count AND s.frozen_at IS NULL`;

/** @param beginnings digests of the prefixes of the request's messages */
export async function findContinued(
  trx: Trx,
  { organizationId }: WorkspaceScope,
  root: RootSession,
  beginnings: readonly Buffer[],
): Promise<Continued | undefined> {
  const { rows } = await sql<RecordingRow>`
    SELECT r.session_id, r.message_count, r.context_digest, r.interrupted_seq
      FROM session_recordings AS r
      JOIN sessions AS s ON s.organization_id = r.organization_id AND s.id = r.session_id
     WHERE r.organization_id = ${organizationId} AND r.root_session_id = ${root.id}
       AND r.digest = ANY (${beginnings}::bytea[]) AND ${IS_CURRENT}
     ORDER BY r.message_count DESC, r.updated_at DESC LIMIT 1`.execute(trx);
  const [found] = rows;
  if (!found) return continueRoot(trx, { organizationId }, root, beginnings);
  return {
    sessionId: found.session_id,
    messageCount: found.message_count,
    contextDigest: found.context_digest,
    interruptedSeq: found.interrupted_seq,
  };
}

/**
 * Computes the digests of the root again, because other clients may have appended, rewound or compacted messages after the last recorded
 * call.
 */
async function continueRoot(
  trx: Trx,
  { organizationId }: { readonly organizationId: string },
  root: RootSession,
  beginnings: readonly Buffer[],
): Promise<Continued | undefined> {
  const place = { sessionId: root.id, contextDigest: undefined, interruptedSeq: null };
  const count = root.last_seq - root.compacted_up_to;
  if (count === 0) return { ...place, messageCount: 0 };
  if (count >= beginnings.length) return undefined;
  const digest = await digestTranscript(trx, organizationId, root);
  return beginnings[count]?.equals(digest) ? { ...place, messageCount: count } : undefined;
}

async function digestTranscript(
  db: Db,
  organizationId: string,
  { id, last_seq, compacted_up_to }: Pick<RootSession, 'id' | 'last_seq' | 'compacted_up_to'>,
): Promise<Buffer> {
  const messages = [];
  for (let afterSeq = compacted_up_to; afterSeq < last_seq; ) {
    const page = await readMessages(db, { organizationId }, id, { afterSeq, upToSeq: last_seq, limit: 500 });
    if (page.length === 0) break;
    messages.push(...page);
    afterSeq += page.length;
  }
  return digestBeginnings(messages).at(-1) ?? NO_MESSAGES;
}

/**
 * Creates a sibling session in the group of the root.
 * @returns the id of the new session
 */
export async function openSibling(
  trx: Trx,
  scope: WorkspaceScope,
  root: RootSession,
  model: string,
): Promise<string> {
  const id = uuidv7();
  const { title, agent, origin, visibility, project_id, runtime_id } = root;
  const group_id = root.group_id ?? (await openGroup(trx, scope, root));
  await createSession(trx, scope, {
    id,
    model,
    agent,
    title,
    origin,
    visibility,
    group_id,
    project_id,
    runtime_id,
  });
  return id;
}

async function openGroup(trx: Trx, scope: WorkspaceScope, { id, title }: RootSession): Promise<string> {
  const groupId = await insertGroup(trx, scope, { kind: 'workflow', status: 'running', title });
  await changeSession(trx, scope, id, { group_id: groupId });
  return groupId;
}
