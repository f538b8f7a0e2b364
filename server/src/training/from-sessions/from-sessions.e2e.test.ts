/** Datasets of sessions: which sessions, in which form, without repeats, and trained on. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SECRET_KEY } from '../../../test/harness.ts';
import { JOBS, startTrainingWorld, W } from '../../../test/training-world.ts';
import { startTestWorker } from '../../../test/workers.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const world = await startTrainingWorld();
const { server, me, toRequest } = world;

async function saveSession(change: object, texts: readonly (readonly [string, string])[]): Promise<string> {
  const id = uuidv7();
  expect(await me.post(`${W}/sessions`, { id, model: 'sim/echo', ...change })).toMatchObject({ status: 201 });
  const messages = texts.map(([role, content]) => ({ role, content }));
  if (messages.length > 0)
    expect(await me.post(`${W}/sessions/${id}/transcript`, { messages })).toMatchObject({ status: 201 });
  return id;
}

const ASKED = [
  ['user', 'Which colour?'],
  ['assistant', 'Teal'],
] as const;

const make = (change: object) => me.post(`${W}/datasets/from-sessions`, { version: '1.0.0', ...change });

const rowsOf = async (name: string, split = 'train') =>
  (await me.get(`/org/main/datasets/${name}/1.0.0/rows?split=${split}&limit=100`)).body.rows as {
    session_id: string;
    score: number | null;
    trajectory: string;
  }[];

test('createDatasetFromSessions keeps the first of equal conversations, and leaves out empty ones', async () => {
  await saveSession({ agent: 'one' }, ASKED);
  await saveSession({ agent: 'one' }, ASKED);
  const other = await saveSession({ agent: 'one' }, [...ASKED, ['user', 'Sure?'], ['assistant', 'Yes']]);
  await saveSession({ agent: 'one' }, [['user', 'Nobody answers']]);
  await saveSession({ agent: 'two' }, [['assistant', 'Another agent']]);
  const { status, body } = await make({ name: 'of-one', filter: { agent: ['one'] } });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      name: 'of-one',
      version: '1.0.0',
      format: 'openai',
      sessions: 4,
      rows: 2,
      duplicates: 1,
      empty_sessions: 1,
      splits: { train: 2 },
    },
  });
  const rows = await rowsOf('of-one');
  const found = rows.find(({ session_id }) => session_id === other);
  expect(JSON.parse(found?.trajectory ?? '').messages).toHaveLength(4);
  expect((await make({ name: 'all-of-one', filter: { agent: ['one'] }, dedupe: false })).body.rows).toBe(3);
  expect((await make({ name: 'of-one', filter: { agent: ['one'] } })).status).toBe(409);
  const job = toRequest({
    config: { dataset_ref: null, trajectory_dataset_refs: [{ name: 'of-one', version: '1.0.0' }] },
  });
  expect(await me.post(JOBS, job)).toMatchObject({ status: 201 });
});

test('createDatasetFromSessions with a key is not repeated when its response was lost', async () => {
  await saveSession({ agent: 'keyed' }, ASKED);
  const request = { name: 'of-keyed', version: '1.0.0', filter: { agent: ['keyed'] } };
  const makeKeyed = () => me.post(`${W}/datasets/from-sessions`, request, { 'idempotency-key': 'keyed' });
  expect((await makeKeyed()).status).toBe(201);
  await sql`
    UPDATE idempotency_keys SET status = NULL, key_id = NULL, wrapped_key = NULL, ciphertext = NULL,
                                running_until = now() - interval '1 second'`.execute(server.db);
  const repeated = await makeKeyed();
  expect(repeated.status).toBe(409);
  expect(JSON.stringify(repeated.body)).toContain('took effect');
});

test('createDatasetFromSessions divides conversations in the same way for the same seed', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 10; index++)
    ids.push(await saveSession({ agent: 'ten' }, [['assistant', `Answer ${index}`]]));
  const request = { session_ids: ids, validation_fraction: 0.3, format: 'atif' };
  const first = await make({ ...request, name: 'ten-a' });
  expect(first.body).toMatchObject({ rows: 10, splits: { train: 7, validation: 3 } });
  await make({ ...request, name: 'ten-b' });
  const held = async (name: string) =>
    new Set((await rowsOf(name, 'validation')).map((row) => row.session_id));
  expect(await held('ten-b')).toEqual(await held('ten-a'));
  const [row] = await rowsOf('ten-a');
  expect(JSON.parse(row?.trajectory ?? '')).toMatchObject({ schema_version: 'ATIF-v1.7' });
});

test('createDatasetFromSessions takes samples of an evaluation by their scores', async () => {
  await startTestWorker({ ...server, secretKey: SECRET_KEY, allowsPrivate: true });
  const { body } = await me.post(`${W}/evaluation`, {
    name: 'echo',
    model: 'sim/echo',
    dataset: { name: 'facts', version: '1.0.0', input: 'Say {{messages}}', expected: 'messages' },
    scorers: [{ type: 'contains', value: 'What is 3' }],
  });
  await expect.poll(async () => (await me.get(`${W}/evaluation/${body.id}`)).body.status).toBe('completed');
  const request = { evaluation_ids: [body.id], dedupe: false };
  expect((await make({ ...request, name: 'samples' })).body.rows).toBe(8);
  expect((await make({ ...request, name: 'good', min_score: 1 })).body.rows).toBe(1);
  expect((await rowsOf('good'))[0]?.score).toBe(1);
  expect((await make({ ...request, name: 'bad', passed: false })).body.rows).toBe(7);
});

test.each([
  [{ filter: { agent: ['nobody'] } }, ['body', 'filter']],
  [{ min_score: 0.5 }, ['body', 'min_score']],
  [{ passed: true }, ['body', 'passed']],
  [{ version: 'latest' }, ['body', 'version']],
  [{ filter: { archived: 'sometimes' } }, ['body', 'filter', 'archived']],
])('createDatasetFromSessions refuses %j', async (change, loc) => {
  const { status, body } = await make({ name: 'refused', ...change });
  expect({ status, loc: body.errors?.[0]?.loc }).toEqual({ status: 422, loc });
});

test('createDatasetFromSessions leaves out sessions that the caller cannot see', async () => {
  const mine = await saveSession({ agent: 'private', visibility: 'private' }, ASKED);
  const other = server.as(await server.addPerson('colleague', { role: 'member' }));
  const refused = await other.post(`${W}/datasets/from-sessions`, {
    name: 'stolen',
    version: '1.0.0',
    session_ids: [mine],
  });
  expect(refused.status).toBe(422);
});

test('createDatasetFromSessions refuses a key that may not read sessions', async () => {
  const { body } = await me.post('/user/api-keys', { name: 'narrow', allowed_scopes: ['datasets:write'] });
  const refused = await server
    .as(body.key)
    .post(`${W}/datasets/from-sessions`, { name: 'x', version: '1.0.0' });
  expect(refused.status).toBe(403);
});
