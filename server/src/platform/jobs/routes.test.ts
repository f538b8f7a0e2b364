import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { createJobTables, errands, sendErrand } from '../../../test/job-rows.ts';
import { createLog } from '../log.ts';
import { uuidv7 } from '../uuid.ts';
import { JobQueue } from './queue.ts';

const server = await startTestServer();
const { db, owner, url } = server;
const queue = new JobQueue({ url, db, log: createLog('silent'), isWorker: false });
const organizationId = uuidv7();
const ids: string[] = [];

beforeAll(async () => {
  await createJobTables(db);
  await queue.start([errands(db)]);
  for (let i = 0; i < 5; i++) ids.unshift((await sendErrand(db, queue, organizationId)).id);
});
afterAll(() => queue.stop());

const list = (query = '') => server.as(owner).get(`/jobs${query}`);
const idsIn = (items: { resource_id: string }[]) => items.map(({ resource_id }) => resource_id);

test('a platform admin lists the jobs of all organizations, newest first, without their content', async () => {
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(idsIn(body.items)).toEqual(ids);
  expect(body.items[0]).toEqual({
    id: expect.any(String),
    kind: 'errands.run',
    state: 'queued',
    organization_id: organizationId,
    resource_id: ids[0],
    failures: 0,
    lost_workers: 0,
    created_at: expect.any(String),
    starts_after: expect.any(String),
    started_at: null,
    completed_at: null,
  });
});

test('pages follow each other without gaps', async () => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await list(`?limit=2${cursor}`);
    seen.push(...idsIn(body.items));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(seen).toEqual(ids);
});

test('state and kind filter the list', async () => {
  await sql`UPDATE pgboss.job SET state = 'failed' WHERE data ->> 'id' = ${ids[2]}`.execute(db);
  expect(idsIn((await list('?state=failed')).body.items)).toEqual([ids[2]]);
  expect((await list('?state=queued')).body.items).toHaveLength(4);
  expect((await list('?state=running')).body.items).toEqual([]);
  expect((await list('?kind=exports.run')).body.items).toEqual([]);
  expect((await list('?kind=errands.run&limit=1')).body.items).toHaveLength(1);
  expect((await list('?state=lost')).status).toBe(422);
});

describe('the list is forbidden for other callers', () => {
  test('an owner of an organization who is not a platform admin', async () => {
    const other = await server.addPerson('other', { role: 'owner' });
    expect(await server.as(other).get('/jobs')).toMatchObject({
      status: 403,
      body: { type: 'forbidden_error' },
    });
  });

  test("a platform admin's key that is narrowed to an organization", async () => {
    const { body: organizations } = await server.as(owner).get('/user/organizations');
    const { body } = await server
      .as(owner)
      .post('/user/api-keys', { name: 'narrow', org_id: organizations[0].id });
    expect((await server.as(body.key).get('/jobs')).status).toBe(403);
  });
});
