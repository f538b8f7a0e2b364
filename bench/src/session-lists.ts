/** The newest page of sessions, in a workspace with few of them and in one with more than a process keeps in memory. */
import { startListWorld } from './list-world.ts';
import { insertSessions } from './million-sessions.ts';
import { compareNewestPages, FEW } from './newest-pages.ts';

/** The same in both, since the summary of a group counts its sessions. One in five is in a group, so a group has five. */
const SESSIONS_PER_GROUP = 25;

export async function benchSessionLists(sessions: number, undo: AsyncDisposableStack): Promise<boolean> {
  const { pool, send, scope } = await startListWorld(undo);
  for (const [key, rows] of [
    ['few', FEW],
    ['many', sessions],
  ] as const) {
    const workspace = JSON.parse(await send('POST', '/ws', JSON.stringify({ key, name: key }))) as {
      id: string;
    };
    const place = { organizationId: scope.organizationId, workspaceId: workspace.id };
    await insertSessions(pool, place, { count: rows, groups: rows / SESSIONS_PER_GROUP });
  }
  return compareNewestPages(send, 'sessions', sessions);
}
