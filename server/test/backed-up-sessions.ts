/** Sessions for a backup, and the checks on the restored server. */
import { expect } from 'vitest';
import { uuidv7 } from '../src/platform/uuid.ts';
import { call } from './processes.ts';
import { inTransaction } from './table-digests.ts';

const SESSIONS = '/org/main/ws/main/sessions';

/** Writes a session with a transcript, and one that is deleted, recreated and deleted again. */
export async function writeSessions(url: string, key: string, title: string): Promise<number[]> {
  const statuses: number[] = [];
  const send = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const response = await call<{ id: string }>(url, key, method, path, body);
    statuses.push(response.status);
    return response.body?.id;
  };
  const group_id = await send('POST', `${SESSIONS}/groups`, { kind: 'workflow', title });
  const id = uuidv7();
  await send('POST', SESSIONS, { id, model: 'm', title, group_id, labels: { team: [title] } });
  const message = { id: 'm1', role: 'user', content: title, metadata: { '1.0': [1.0, 'ü'] } };
  const summary = { id: 'm2', role: 'user', content: 'In short' };
  const context = { model: 'm', system_prompt: 'Be kind.' };
  await send('POST', `${SESSIONS}/${id}/transcript`, { messages: [message], context });
  await send('POST', `${SESSIONS}/${id}/transcript/compact`, { up_to_seq: 1, summary });
  const gone = uuidv7();
  for (let round = 0; round < 2; round++) {
    await send('POST', SESSIONS, { id: gone, model: 'm' });
    await send('DELETE', `${SESSIONS}/${gone}`);
  }
  return statuses;
}

/** Their rows must carry a transaction id of this database; otherwise the column index would treat all or none of them as changed. */
export async function expectLiveSessions(server: string, key: string, database: string): Promise<void> {
  const odd = await inTransaction(database, async (client) => {
    const { rows } = await client.query<{ name: string }>(`
      SELECT name FROM (SELECT 'sessions' AS name, changed_in FROM sessions
                        UNION ALL SELECT 'session_groups', changed_in FROM session_groups
                        UNION ALL SELECT 'session_deletions', changed_in FROM session_deletions) AS r
       WHERE NOT pg_visible_in_snapshot(changed_in, pg_current_snapshot())`);
    return rows;
  });
  expect(odd).toEqual([]);
  const read = async () => {
    const { body } = await call<{ total: number }>(server, key, 'GET', `${SESSIONS}?label=team:W0_0`);
    const facets = await call<{ labels: object }>(server, key, 'GET', `${SESSIONS}/facets?label=team:W0_0`);
    return { total: body.total, labels: facets.body.labels };
  };
  const one = { total: 1, labels: { team: [{ value: 'W0_0', count: 1 }] } };
  const { body } = await call<{ sessions: { id: string }[] }>(
    server,
    key,
    'GET',
    `${SESSIONS}?label=team:W0_0`,
  );
  const id = body.sessions[0]?.id ?? '';
  // Repeats the check: first reads come from the tables, later ones from the loaded index.
  for (let round = 0; round < 5; round++) {
    expect(await read()).toEqual(one);
    const messages = [{ role: 'user', content: `More ${round}` }];
    const appended = await call(server, key, 'POST', `${SESSIONS}/${id}/transcript`, { messages });
    expect(appended.status).toBe(201);
  }
  await call(server, key, 'DELETE', `${SESSIONS}/${id}`);
  expect(await read()).toEqual({ total: 0, labels: {} });
}
