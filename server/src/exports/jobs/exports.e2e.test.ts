import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { beginExport, download, EXPORTS, queryParquet, untilEnded } from '../../../test/exported-files.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { until } from '../../../test/processes.ts';
import { startTestWorker } from '../../../test/workers.ts';
import { insertKey } from '../../accounts/keys/store.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { exportFiles } from './files.ts';

const server = await startTestServer();
const { db, storage, owner, as } = server;
const member = await server.addPerson('member', { role: 'member' });
const admin = await server.addPerson('admin', { role: 'admin' });
const organizationId = await findOrganizationId(server, 'main');
const SESSIONS = '/org/main/ws/main/sessions';

const TITLES = ['Größe 🚀', "it's", 'a,"b"\nc', ''];
for (const title of TITLES) {
  const body = { id: randomUUID(), model: 'sim/echo', ...(title && { title }) };
  expect((await as(owner).post(SESSIONS, body)).status).toBe(201);
}

const countConnections = () =>
  new Promise<number>((resolve, reject) =>
    server.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('exports without a worker', () => {
  test('a queued export has no result and is cancelled immediately', async () => {
    const begun = await beginExport(as(owner), { query: 'SELECT 1 AS one' });
    expect(begun).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'queued',
      created_at: expect.stringMatching(/Z$/),
      completed_at: null,
      error_message: null,
      presigned_url: null,
      url_expires_at: null,
      file_size_bytes: 0,
      row_count: 0,
      rows_read: 0,
    });
    const cancelled = await as(owner).post(`${EXPORTS}/${begun.id}/cancel`);
    expect(cancelled).toMatchObject({
      status: 200,
      body: { id: begun.id, status: 'cancelled', completed_at: expect.any(String), error_message: null },
    });
    const again = await as(owner).post(`${EXPORTS}/${begun.id}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect((await as(owner).get(`${EXPORTS}/${begun.id}`)).body).toEqual(cancelled.body);
  });

  test('an export is visible to its creator only', async () => {
    const { id } = await beginExport(as(member), { query: "SELECT 'theirs' AS theirs" });
    for (const other of [owner, admin]) {
      expect((await as(other).get(`${EXPORTS}/${id}`)).status).toBe(404);
      expect((await as(other).post(`${EXPORTS}/${id}/cancel`)).status).toBe(404);
      const { body } = await as(other).get(EXPORTS);
      expect(body.exports.map((one: { id: string }) => one.id)).not.toContain(id);
    }
    expect((await as(member).get(`${EXPORTS}/${id}`)).body.status).toBe('queued');
    expect((await as(member).get(EXPORTS)).body).toMatchObject({ total: 1, exports: [{ id }] });
    expect((await as(owner).get(`${EXPORTS}/${randomUUID()}`)).status).toBe(404);
    expect((await as(owner).get(`${EXPORTS}/nonsense`)).status).toBe(422);
  });

  test('a key limited to the workspace does not see exports made with more access', async () => {
    const wide = await beginExport(as(admin), { query: 'SELECT 2 AS two' });
    const { id: workspaceId } = (await as(owner).get('/org/main/ws/main')).body;
    const principal = { userId: admin.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
    const request = { name: 'narrow', allow_self_revoke: false, workspace_id: workspaceId };
    const { key } = await transaction(db, (trx) => insertKey(trx, { principal, requestId: 'test' }, request));
    expect((await as(key).get(`${EXPORTS}/${wide.id}`)).status).toBe(404);
    const narrow = await beginExport(as(key), { query: 'SELECT 3 AS three' });
    expect((await as(key).get(EXPORTS)).body).toMatchObject({ total: 1, exports: [{ id: narrow.id }] });
    expect((await as(admin).get(EXPORTS)).body.total).toBe(2);
  });

  test('the same Idempotency-Key creates one export', async () => {
    const send = () =>
      as(owner).post(EXPORTS, { query: 'SELECT 4 AS four' }, { 'idempotency-key': 'same-export' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
  });

  test('readers cannot create exports, and a key needs the scope', async () => {
    const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
    expect((await as(reader).post(EXPORTS, { query: 'SELECT 1 AS one' })).status).toBe(403);
    expect((await as(reader).get(EXPORTS)).body).toMatchObject({ total: 0, total_pages: 0, exports: [] });
    const narrow = await server.addPerson('narrow', { role: 'member', scopes: ['exports:read'] });
    expect((await as(narrow).post(EXPORTS, { query: 'SELECT 1 AS one' })).status).toBe(403);
  });

  test('an export is audited without its query', async () => {
    const { id } = await beginExport(as(owner), { query: "SELECT 'never told' AS x", max_rows: 7 });
    await as(owner).post(`${EXPORTS}/${id}/cancel`);
    const { body } = await as(owner).get('/org/main/audit-log?limit=2');
    expect(body.items).toMatchObject([
      { action: 'export.cancelled', resource: `exports/${id}` },
      { action: 'export.created', resource: `exports/${id}`, after: { max_rows: 7, project_id: null } },
    ]);
    expect(JSON.stringify(body)).not.toContain('never told');
  });

  test.each([
    [{}, ['body', 'query']],
    [{ query: '' }, ['body', 'query']],
    [{ query: ' ' }, ['body', 'query']],
    [{ query: 'SELECT 1; SELECT 2' }, ['body', 'query']],
    [{ query: 'DROP TABLE sessions' }, ['body', 'query']],
    [{ query: "UPDATE sessions SET title = 'x'" }, ['body', 'query']],
    [{ query: 'PRAGMA version' }, ['body', 'query']],
    [{ query: 'SELECT 1 AS a, 2 AS a' }, ['body', 'query']],
    [{ query: 'SELECT x FROM sessions' }, ['body', 'query']],
    [{ query: 'SELECT 1 AS one', max_rows: 0 }, ['body', 'max_rows']],
    [{ query: 'SELECT 1 AS one', max_rows: 100_000_001 }, ['body', 'max_rows']],
    [{ query: 'SELECT 1 AS one', project_id: randomUUID() }, ['body', 'project_id']],
  ])('an export of %j is refused without creating a job', async (body, loc) => {
    const { total } = (await as(owner).get(EXPORTS)).body;
    expect(await as(owner).post(EXPORTS, body)).toMatchObject({
      status: 422,
      body: { type: 'validation_error', errors: [{ loc }] },
    });
    expect((await as(owner).get(EXPORTS)).body.total).toBe(total);
  });

  test('an error in the query is reported with its location and a suggestion', async () => {
    const msg = async (query: string) => (await as(owner).post(EXPORTS, { query })).body.errors[0].msg;
    expect(await msg('SELECT id FORM sessions')).toMatch(/line 1, column \d+/);
    expect(await msg('SELECT id FROM sesions')).toMatch(/sesions.*sessions/s);
  });

  test('a client that disconnects before the job is created creates no export', async () => {
    const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
    const project = (await as(owner).get('/org/main/ws/main/projects/default')).body.id;
    const leaving = new AbortController();
    const [query, later] = ["SELECT 'left' AS one", "SELECT 'later' AS one"];
    let asked: Promise<unknown> = Promise.resolve();
    await transaction(db, async (trx) => {
      await sql`LOCK TABLE projects`.execute(trx);
      asked = fetch(`${origin}/api/v1${EXPORTS}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, project_id: project }),
        signal: leaving.signal,
      }).catch(() => 'left');
      await until('it waits for its project', async () => {
        const { rows } =
          await sql`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'projects'::regclass`.execute(
            trx,
          );
        return rows.length > 0;
      });
      leaving.abort();
      await until('it has left', () => countConnections().then((count) => count === 0));
    });
    expect(await asked).toBe('left');
    // The later request is checked after the first one.
    const { id } = await beginExport(as(owner), { query: later });
    const made = await db
      .selectFrom('exports')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('query', 'in', [query, later])
      .execute();
    expect(made).toEqual([{ id }]);
  });

  test('an export stays queued when its creator loses access to the workspace', async () => {
    const leaving = await server.addPerson('leaving', { role: 'member' });
    const { id } = await beginExport(as(leaving), { query: 'SELECT title FROM sessions' });
    await as(owner).delete(`/org/main/members/${leaving.id}`);
    left.push(id);
  });
});

const left: string[] = [];

describe('exports with a worker', () => {
  beforeAll(async () => {
    await startTestWorker(server);
  });

  const rowOf = (id: string) =>
    db
      .selectFrom('exports')
      .select(['status', 'error', 'object_key', 'sweep_at'])
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  test('an export fails when its creator has lost access to the workspace', async () => {
    for (const id of left) {
      const row = await until('it has ended', async () => {
        const found = await rowOf(id);
        return found.status === 'failed' && found;
      });
      expect(row).toMatchObject({
        error: 'You may export nothing from this workspace any more.',
        object_key: null,
      });
    }
    expect(left).toHaveLength(1);
  });

  test('an export contains model calls as in the usage: those of all users for owners only', async () => {
    const chat = { model: 'sim/echo', messages: [{ role: 'user', content: 'Hi' }] };
    for (const person of [owner, admin])
      expect((await as(person).post('/org/main/inference/v1/chat/completions', chat)).status).toBe(200);
    const query = 'SELECT count(DISTINCT user_id) AS people, count(*) AS calls FROM inference_usage';
    for (const [person, expected] of [
      [owner, '2 2'],
      [admin, '1 1'],
      [member, '0 0'],
    ] as const) {
      const ended = await untilEnded(as(person), await beginExport(as(person), { query }));
      const [row] = await queryParquet(await download(ended.presigned_url));
      expect(row?.join(' ')).toBe(expected);
    }
  });

  test('the exported Parquet file contains exactly these rows, and its link is valid for a day', async () => {
    const query =
      'SELECT title, model, created_at, 12.50::DECIMAL(38,18) AS price FROM sessions ORDER BY title';
    const before = Date.now();
    const ended = await untilEnded(as(owner), await beginExport(as(owner), { query }));
    expect(ended).toMatchObject({
      status: 'completed',
      error_message: null,
      row_count: TITLES.length,
      rows_read: TITLES.length,
    });
    const expires = Date.parse(ended.url_expires_at ?? '');
    expect(expires).toBe(Date.parse(ended.completed_at ?? '') + 24 * 3_600_000);
    expect(expires).toBeGreaterThan(before + 24 * 3_600_000 - 1);
    const bytes = await download(ended.presigned_url);
    expect(bytes).toHaveLength(ended.file_size_bytes);
    expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
    expect(await queryParquet(bytes, 'SELECT title FROM file')).toEqual([
      ['Größe 🚀'],
      ['a,"b"\nc'],
      ["it's"],
      [null],
    ]);
    expect(await queryParquet(bytes, 'SELECT DISTINCT typeof(COLUMNS(*)) FROM file')).toEqual([
      ['VARCHAR', 'VARCHAR', 'TIMESTAMP WITH TIME ZONE', 'DECIMAL(38,18)'],
    ]);
    const { headers } = await fetch(ended.presigned_url ?? '', { method: 'GET' });
    expect(headers.get('content-disposition')).toContain(`export-${ended.id}.parquet`);
  });

  test('a later link expires together with the first', async () => {
    const { id } = await untilEnded(as(owner), await beginExport(as(owner), { query: 'SELECT 1 AS one' }));
    await sql`UPDATE exports SET expires_at = now() + interval '90 seconds'
               WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
    const { body } = await as(owner).get(`${EXPORTS}/${id}`);
    const seconds = Number(/X-Amz-Expires=(\d+)/.exec(body.presigned_url)?.[1]);
    expect(seconds).toBeGreaterThan(80);
    expect(seconds).toBeLessThanOrEqual(90);
  });

  test('an export without rows is a file with columns', async () => {
    const query = "SELECT id, title FROM sessions WHERE title = 'nothing'";
    const ended = await untilEnded(as(owner), await beginExport(as(owner), { query }));
    expect(ended).toMatchObject({ status: 'completed', row_count: 0 });
    const bytes = await download(ended.presigned_url);
    expect(await queryParquet(bytes, 'SELECT count(*) FROM file')).toEqual([['0']]);
    expect((await queryParquet(bytes, 'DESCRIBE FROM file')).map(([name]) => name)).toEqual(['id', 'title']);
  });

  test('max_rows limits the rows of an export', async () => {
    const query = 'SELECT n FROM range(100000) AS t(n) ORDER BY n';
    const ended = await untilEnded(as(owner), await beginExport(as(owner), { query, max_rows: 777 }));
    expect(ended).toMatchObject({ status: 'completed', row_count: 777 });
    const bytes = await download(ended.presigned_url);
    expect(await queryParquet(bytes, 'SELECT count(*), max(n) FROM file')).toEqual([['777', '776']]);
  });

  test('errors in the rows are reported as error_message', async () => {
    const query = 'SELECT CAST(model AS INTEGER) AS number FROM sessions';
    const ended = await untilEnded(as(owner), await beginExport(as(owner), { query }));
    expect(ended).toMatchObject({ status: 'failed', presigned_url: null, file_size_bytes: 0, row_count: 0 });
    expect(ended.error_message).toMatch(/sim\/echo/);
    expect((await as(owner).post(`${EXPORTS}/${ended.id}/cancel`)).status).toBe(409);
  });

  test("the list returns the caller's exports, newest first, with their number", async () => {
    const { id } = await beginExport(as(owner), { query: 'SELECT 1 AS one' });
    const { body: first } = await as(owner).get(`${EXPORTS}?limit=2`);
    const { body: second } = await as(owner).get(`${EXPORTS}?limit=2&page=2`);
    expect(first.exports[0].id).toBe(id);
    const moments = [...first.exports, ...second.exports].map(({ created_at }) => created_at as string);
    expect(moments).toEqual(moments.toSorted().toReversed());
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM exports
      WHERE organization_id = ${organizationId} AND created_by = ${owner.id}`.execute(db);
    expect(first).toMatchObject({
      total: rows[0]?.count,
      page: 1,
      limit: 2,
      has_next: true,
      has_previous: false,
    });
    await untilEnded(as(owner), { id });
  });

  test('the link expires first, then the file is deleted', async () => {
    const { id } = await untilEnded(as(owner), await beginExport(as(owner), { query: 'SELECT 1 AS one' }));
    const { object_key, sweep_at } = await rowOf(id);
    expect(object_key).toBe(`exports/${organizationId}/${id}/1.parquet`);
    expect(Date.parse(sweep_at ?? '')).toBeGreaterThan(Date.now() + 24 * 3_600_000);
    await storage.put(`exports/${organizationId}/${id}/9.parquet`, Buffer.from('of a dead attempt'));
    await sql`UPDATE exports SET expires_at = now(), sweep_at = now() + interval '1 hour'
               WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
    const { body } = await as(owner).get(`${EXPORTS}/${id}`);
    expect(body).toMatchObject({
      status: 'completed',
      presigned_url: null,
      url_expires_at: null,
      row_count: 1,
    });
    await exportFiles(storage).run(db);
    expect(await storage.find(object_key ?? '')).toBeDefined();
    await sql`UPDATE exports SET sweep_at = now() - interval '1 s' WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
      db,
    );
    await exportFiles(storage).run(db);
    expect(await Array.fromAsync(storage.list(`exports/${organizationId}/${id}/`))).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ object_key: null, sweep_at: null, status: 'completed' });
  });

  test('deletion of a workspace deletes its exports and their files', async () => {
    await as(owner).post('/org/main/ws', { name: 'gone', key: 'gone' });
    const path = '/org/main/ws/gone/exports';
    const done = await untilEnded(
      as(owner),
      await beginExport(as(owner), { query: 'SELECT 1 AS one' }, path),
      path,
    );
    await beginExport(
      as(owner),
      { query: 'SELECT count(*) AS c FROM range(100000000000) AS t(n) WHERE hash(n) = 1' },
      path,
    );
    const { object_key } = await rowOf(done.id);
    expect((await as(owner).delete('/org/main/ws/gone')).status).toBe(204);
    expect(await storage.find(object_key ?? '')).toBeUndefined();
    expect((await fetch(done.presigned_url ?? '')).status).toBe(404);
    const { rows } = await sql`SELECT FROM abandoned_prefixes
      WHERE organization_id = ${organizationId} AND prefix = ${`exports/${organizationId}/${done.id}/`}`.execute(
      db,
    );
    expect(rows).toHaveLength(1);
  });

  test('a project of another organization is refused', async () => {
    const stranger: Person = await server.addPerson('stranger');
    await addOrganization(server, stranger, 'other');
    const [{ key }] = (await as(stranger).get('/org/other/ws')).body;
    const [{ id: project_id }] = (await as(stranger).get(`/org/other/ws/${key}/projects`)).body;
    expect(await as(owner).post(EXPORTS, { query: 'SELECT 1 AS one', project_id })).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'project_id'], msg: 'names no project of this workspace' }] },
    });
  });
});
