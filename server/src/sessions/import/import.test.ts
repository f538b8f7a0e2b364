/** Permissions, ids and validation of imports. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { readDocument } from './read-document.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
const colleague = await server.addPerson('colleague', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const SESSIONS = '/org/main/ws/main/sessions';
const agent = { name: 'a', version: '1' };
const user = (step_id: number, more: object = {}) => ({ step_id, source: 'user', message: 'hi', ...more });
const atif = (session_id?: string) => ({ agent, steps: [user(1)], session_id });

const importing = (document: unknown, as = owner) => as.post(`${SESSIONS}/import`, document);

async function countOf(table: 'sessions' | 'session_messages'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM ${sql.table(table)} /* of every organization */`.execute(server.db);
  return rows[0]?.count ?? 0;
}

describe('the id of an imported session', () => {
  test('import uses the id of the document when it is free', async () => {
    const id = uuidv7();
    const { status, body } = await importing(atif(id.toUpperCase()));
    expect({ status, id: body.id }).toEqual({ status: 201, id });
    expect((await owner.get(`${SESSIONS}/${id}`)).body).toEqual(body);
  });

  test.each(['run-1', '', undefined])('import creates a new id when the document has %j', async (given) => {
    const { status, body } = await importing(atif(given));
    expect(status).toBe(201);
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('import creates a new id when the id is taken, and leaves the existing session unchanged', async () => {
    const id = uuidv7();
    const { body: first } = await importing(atif(id));
    const { status, body: second } = await importing({ ...atif(id), steps: [user(1), user(2)] });
    expect(status).toBe(201);
    expect(second).toMatchObject({ message_count: 2 });
    expect(second.id).not.toBe(id);
    expect((await owner.get(`${SESSIONS}/${id}`)).body).toEqual(first);
  });

  test('import creates a new id when another user has it in any workspace of the organization', async () => {
    const id = uuidv7();
    expect((await importing(atif(id), server.as(colleague))).body.id).toBe(id);
    expect((await importing(atif(id))).body.id).not.toBe(id);
    await owner.post('/org/main/ws', { name: 'Second', key: 'second' });
    const { status, body } = await owner.post('/org/main/ws/second/sessions/import', atif(id));
    expect(status).toBe(201);
    expect(body.id).not.toBe(id);
  });

  test('import uses the id even if a session of another organization has it', async () => {
    const id = uuidv7();
    expect((await importing(atif(id))).body.id).toBe(id);
    await addOrganization(server, server.owner, 'elsewhere');
    const { status, body } = await owner.post('/org/elsewhere/ws/main/sessions/import', atif(id));
    expect({ status, id: body.id }).toEqual({ status: 201, id });
    expect((await owner.get(`${SESSIONS}/${id}`)).body.workspace_id).not.toBe(body.workspace_id);
  });

  test('concurrent imports give the id to exactly one session', async () => {
    const id = uuidv7();
    const responses = await Promise.all(Array.from({ length: 5 }, () => importing(atif(id))));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const ids = responses.map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(5);
    expect(ids).toContain(id);
  });
});

describe('an imported session', () => {
  test('import creates a private session of its caller, regardless of the document', async () => {
    const { body } = await importing({
      ...atif(),
      extra: { visibility: 'workspace', user_id: colleague.id },
    });
    expect(body).toMatchObject({ visibility: 'private', user_id: server.owner.id, origin: 'user' });
    expect((await server.as(colleague).get(`${SESSIONS}/${body.id}`)).status).toBe(404);
  });

  test('import keeps the title and labels of an export', async () => {
    const drydock = { title: 'T', labels: { team: ['red', 'red'] } };
    const { body } = await importing({ ...atif(), extra: { drydock } });
    expect(body).toMatchObject({ title: 'T', labels: { team: ['red'] } });
    const { body: other } = await importing({ ...atif(), extra: { drydock: { ...drydock, title: 5 } } });
    expect(other).toMatchObject({ title: null, labels: {} });
  });

  test('an imported session is found by its text and can be appended to', async () => {
    const word = 'Quokka';
    const { body } = await importing({ agent, steps: [user(1, { message: `A ${word}` })] });
    const messages = [{ role: 'user', content: 'more' }];
    const appended = await owner.post(`${SESSIONS}/${body.id}/transcript`, { messages });
    expect(appended).toMatchObject({ status: 201, body: { messages: [{ seq: 2 }] } });
    const { rows } = await sql`
      SELECT id FROM sessions WHERE workspace_id = ${body.workspace_id} AND search_text LIKE '%quokka%'
        /* of every organization */`.execute(server.db);
    expect(rows).toEqual([{ id: body.id }]);
  });

  test('importing an empty document creates a session without messages', async () => {
    const empty = { step_id: 1, source: 'system', message: '', extra: { drydock: { kind: 'empty' } } };
    const { body } = await importing({ agent, steps: [empty] });
    expect(body).toMatchObject({ message_count: 0, preview_text: null, model: 'unknown', agent: 'a' });
  });
});

test('import returns 403 for readers', async () => {
  expect((await importing(atif(), server.as(reader))).status).toBe(403);
});

describe('refused imports', () => {
  const bad = { arguments: '{}', function_name: 'f', tool_call_id: 'c' };
  const embedded = (steps: object[], trajectory_id: string | null = 's') => ({
    ...atif(),
    subagent_trajectories: [{ agent, steps, trajectory_id }],
  });
  const results = (result: object) => user(1, { observation: { results: [result] } });

  test.each<[what: string, document: unknown, loc: (string | number)[], msg: string]>([
    ['a text', '"text"', [], 'must be a document of ATIF'],
    ['a number', 5, [], 'must be a document of ATIF'],
    ['nothing known', {}, [], 'must be a document of ATIF'],
    ['no steps', { schema_version: 'ATIF-v1.7', agent }, ['steps'], 'required'],
    ['steps that are no list', { agent, steps: {} }, ['steps'], 'must be a list, not an object'],
    ['an empty list of steps', { agent, steps: [] }, ['steps'], 'must have at least 1 item'],
    ['a version to come', { ...atif(), schema_version: 'ATIF-v1.8' }, ['schema_version'], 'must be '],
    ['no agent', { steps: [user(1)] }, ['agent'], 'required'],
    [
      'an agent without a version',
      { agent: { name: 'a' }, steps: [user(1)] },
      ['agent', 'version'],
      'required',
    ],
    ['an unknown key', { ...atif(), messages: [] }, [], '"messages"'],
    [
      'an unknown source',
      { agent, steps: [{ ...user(1), source: 'tool' }] },
      ['steps', 0, 'source'],
      'must be ',
    ],
    [
      'a time that is none',
      { agent, steps: [user(1, { timestamp: 'now' })] },
      ['steps', 0, 'timestamp'],
      'ISO 8601',
    ],
    [
      'arguments as text',
      { agent, steps: [user(1), { ...user(2), source: 'agent', tool_calls: [bad] }] },
      ['steps', 1, 'tool_calls', 0, 'arguments'],
      'must be an object',
    ],
    ['a list as extra', { ...atif(), extra: [] }, ['extra'], 'must be an object'],
    [
      'a result that is a number',
      { agent, steps: [results({ content: 5 })] },
      ['steps', 0, 'observation', 'results', 0, 'content'],
      'must be a text or a list of parts',
    ],
    [
      'an image without a source',
      { agent, steps: [user(1, { message: [{ type: 'image' }] })] },
      ['steps', 0, 'message', 0],
      'must have a text, or be an image with a source',
    ],
    [
      'an embedded one without id',
      embedded([user(1)], null),
      ['subagent_trajectories', 0, 'trajectory_id'],
      'must be given',
    ],
    [
      'an embedded one with a gap',
      embedded([user(1), user(3)]),
      ['subagent_trajectories', 0, 'steps', 1, 'step_id'],
      'must be 2',
    ],
    [
      'an embedded one with a result of no call',
      embedded([results({ source_call_id: 'x' })]),
      ['subagent_trajectories', 0, 'steps', 0, 'observation', 'results', 0, 'source_call_id'],
      'must be the id of a call of this step',
    ],
    [
      'an embedded one whose user has metrics',
      embedded([user(1, { metrics: {} })]),
      ['subagent_trajectories', 0, 'steps', 0, 'metrics'],
      'is for steps of an agent only',
    ],
    [
      'messages that are none',
      { messages: [{ role: 'user' }, 5] },
      ['messages', 1],
      'must be an object, not a number',
    ],
    ['a list that is of no messages', [{ role: 'nobody', content: '' }], [0, 'role'], 'must be '],
  ])('%s', async (_, document, loc, msg) => {
    const before = await countOf('sessions');
    const { status, body } = await importing(document);
    expect(status).toBe(422);
    expect(body.errors).toContainEqual({
      loc: ['body', ...loc],
      msg: expect.stringContaining(msg),
      type: expect.any(String),
    });
    expect(await countOf('sessions')).toBe(before);
  });

  test('import without a body is refused', async () => {
    expect((await importing(undefined)).status).toBe(422);
  });

  test('import of more than 200,000 messages is refused', async () => {
    const steps = Array.from({ length: 200_001 }, (_, index) => user(index + 1));
    const { status, body } = await importing({ agent, steps });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { loc: ['body'], msg: 'must hold at most 200000 messages, and holds 200001', type: 'invalid_value' },
    ]);
  });
});

describe('import of a large document', () => {
  const many = (text: string) => `[${`${text},`.repeat(300_000)}${text}]`;
  const head = '"agent":{"name":"a","version":"1"}';
  const stepWith = (fields: string) =>
    `{${head},"steps":[{"step_id":1,"source":"agent","message":"",${fields}}]}`;

  test.each([
    ['steps', `{${head},"steps":${many('{}')}}`],
    ['embedded ones', `{${head},"steps":[{}],"subagent_trajectories":${many('{}')}}`],
    ['calls', stepWith(`"tool_calls":${many('{}')}`)],
    ['results', stepWith(`"observation":{"results":${many('0')}}`)],
    ['tokens', stepWith(`"metrics":{"logprobs":${many('""')}}`)],
    ['messages', many('{}')],
    ['calls of a message', `[{"role":"assistant","tool_calls":${many('{}')}}]`],
  ])('import of invalid parts stops early, before the errors fill the memory: %s', async (_, text) => {
    const { status, body } = await importing(text);
    expect(status).toBe(422);
    expect(body.errors.length).toBeLessThanOrEqual(100);
    expect(body.errors.length).toBeGreaterThan(0);
  });

  test('import accepts a document whose notes are not ours, and ignores them', async () => {
    const drydock = { labels: { a: Array.from({ length: 100_000 }, () => 0) } };
    expect(await importing({ ...atif(), extra: { drydock } })).toMatchObject({
      status: 201,
      body: { labels: {} },
    });
  });

  /** Enough parts for several turns of the event loop, however fast the machine. */
  const LONG = 100_000;

  test.each([
    ['atif', { agent, steps: Array.from({ length: LONG }, (_, index) => user(index + 1)) }],
    ['openai', { messages: Array.from({ length: LONG }, () => ({ role: 'user', content: 'hi' })) }],
  ])('import lets other requests run while it reads a large document: %s', async (_, document) => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { messages } = await readDocument(document);
    clearInterval(timer);
    expect(messages.length).toBe(LONG);
    expect(turns).toBeGreaterThan(2);
  });
});

describe('atomicity of an import', () => {
  beforeAll(async () => {
    await sql`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'a disk that is full';
      END $$`.execute(server.db);
    await sql`
      CREATE TRIGGER fail BEFORE INSERT ON session_messages FOR EACH ROW WHEN (NEW.content = 'boom')
        EXECUTE FUNCTION fail()`.execute(server.db);
  });

  test('an import that fails halfway stores nothing', async () => {
    const before = [await countOf('sessions'), await countOf('session_messages')];
    const steps = Array.from({ length: 1_500 }, (_, index) =>
      user(index + 1, { message: index === 1_499 ? 'boom' : 'hi' }),
    );
    expect((await importing({ agent, steps })).status).toBe(500);
    expect([await countOf('sessions'), await countOf('session_messages')]).toEqual(before);
    const { status, body } = await importing({ agent, steps: steps.slice(0, -1) });
    expect(status).toBe(201);
    expect(body.message_count).toBe(1_499);
  });
});
