/** Access to exports, paging, and concurrent changes of the session. */
import {
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  sql,
} from 'kysely';
import { describe, expect, test } from 'vitest';
import { findMistakes } from '../../../test/chat-completions.ts';
import { startTestServer } from '../../../test/harness.ts';
import { mainPlace, say, storeSession } from '../../../test/stored-sessions.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type ExportOptions, exportTrajectory } from './export.ts';

const server = await startTestServer();
const scope = await mainPlace(server);
const other = await server.addPerson('other', { role: 'admin' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const SESSIONS = '/org/main/ws/main/sessions';
const store = (session: Parameters<typeof storeSession>[2]) => storeSession(server.db, scope, session);

const exportOf = (id: string, options: Partial<ExportOptions> = {}) =>
  exportTrajectory(server.db, scope, id, { format: 'openai', includeCompacted: false, ...options });

describe('access to exports', () => {
  const session = { messages: [say.user('secret')] };

  test.each(['atif', 'openai', 'native'])(
    'export as %s returns what the caller may see, and nothing else',
    async (format) => {
      const mine = await store(session);
      const shared = await store({ ...session, visibility: 'workspace' });
      const ask = (who: typeof other, id: string) =>
        server.as(who).get(`${SESSIONS}/${id}/trajectory?format=${format}`);
      expect(await ask(server.owner, mine)).toMatchObject({ status: 200 });
      for (const stranger of [other, reader]) {
        const { status, body } = await ask(stranger, mine);
        const unknown = uuidv7();
        const missing = await ask(stranger, unknown);
        expect([status, body.type]).toEqual([404, 'not_found_error']);
        expect(missing.body.detail.replace(unknown, mine)).toBe(body.detail);
        expect(JSON.stringify((await ask(stranger, shared)).body)).toContain('secret');
      }
    },
  );

  test('export accepts a prefix of the id and defaults to ATIF', async () => {
    const id = await store(session);
    const whole = await server.as(server.owner).get(`${SESSIONS}/${id}/trajectory`);
    expect(whole).toMatchObject({ status: 200, body: { schema_version: 'ATIF-v1.7', session_id: id } });
    expect((await server.as(server.owner).get(`${SESSIONS}/${id.slice(0, 35)}/trajectory`)).body).toEqual(
      whole.body,
    );
  });

  test('export with an unknown format or include_compacted value returns 422 with the valid values', async () => {
    const id = await store(session);
    const { status, body } = await server
      .as(server.owner)
      .get(`${SESSIONS}/${id}/trajectory?format=xml&include_compacted=maybe`);
    expect([status, body.errors.map(({ loc }: { loc: unknown }) => loc)]).toEqual([
      422,
      [
        ['query', 'format'],
        ['query', 'include_compacted'],
      ],
    ]);
  });
});

describe('native export', () => {
  const usage = {
    input_tokens: 5,
    output_tokens: 2,
    cache_read_input_tokens: 1,
    cache_creation_input_tokens: 0,
  };
  const session = {
    tools: [{ name: 'run' }],
    prompts: [
      { from_seq: 1, content: 'one' },
      { from_seq: 3, content: 'three' },
      { from_seq: 4, content: 'four' },
    ],
    messages: [
      { ...say.user('1'), parent_id: 'p', metadata: { a: [1] } },
      say.user('2'),
      { ...say.assistant('3', ['c', 'run', 'x']), usage: { ...usage, cost_usd: 0.5 } },
      say.tool('4', 'c'),
      say.user('summary'),
    ],
    compactions: [{ up_to_seq: 2, summary_seq: 5 }],
  };
  const defaults = {
    id: expect.any(String),
    parent_id: null,
    tool_calls: null,
    tool_call_id: null,
    model: null,
    metadata: null,
    usage: null,
    era: 1,
    compacted_up_to_seq: null,
    created_at: expect.any(String),
  };
  const current = [
    {
      ...defaults,
      seq: 3,
      role: 'assistant',
      content: '3',
      tool_calls: [{ id: 'c', name: 'run', arguments: 'x' }],
      model: 'acme/large',
      usage: { ...usage, cost_usd: 0.5 },
    },
    { ...defaults, seq: 4, role: 'tool', content: '4', tool_call_id: 'c' },
    { ...defaults, seq: 5, role: 'user', content: 'summary', compacted_up_to_seq: 2 },
  ];
  const compactions = [{ era: 1, up_to_seq: 2, summary_seq: 5 }];

  test('native export returns the rows as they are stored', async () => {
    const id = await store(session);
    const ask = (query: string) =>
      server.as(server.owner).get(`${SESSIONS}/${id}/trajectory?format=native${query}`);
    const { body } = await ask('&include_compacted=true');
    expect(body).toEqual({
      session: (await server.as(server.owner).get(`${SESSIONS}/${id}`)).body,
      system_prompts: session.prompts,
      compactions,
      tools: session.tools,
      messages: [
        { ...defaults, seq: 1, era: 0, role: 'user', content: '1', parent_id: 'p', metadata: { a: [1] } },
        { ...defaults, seq: 2, era: 0, role: 'user', content: '2' },
        ...current,
      ],
    });
    expect((await ask('')).body).toEqual({
      ...body,
      system_prompts: session.prompts.slice(1),
      compactions,
      messages: current,
    });
  });

  test('native export of an empty session has no messages', async () => {
    const { body } = await server
      .as(server.owner)
      .get(`${SESSIONS}/${await store({})}/trajectory?format=native`);
    expect(body).toMatchObject({ system_prompts: [], compactions: [], tools: [], messages: [] });
  });
});

/** Creates calls whose results are stored many pages later. */
const farApart = (count: number, padding = '') => [
  ...Array.from({ length: count }, (_, index) => say.assistant(`call ${index}${padding}`, [`c${index}`])),
  ...Array.from({ length: count }, (_, index) => say.tool(`result ${index}${padding}`, `c${index}`)),
];

describe('pages of an export', () => {
  test('export joins calls and results, however far apart they are stored', async () => {
    const count = 1_300;
    const id = await store({ messages: farApart(count) });
    const { body } = await server.as(server.owner).get(`${SESSIONS}/${id}/trajectory?format=openai`);
    expect(findMistakes(body.messages)).toEqual([]);
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(
      Array.from({ length: count }, (_, index) => [`call ${index}`, `result ${index}`]).flat(),
    );
    const native = await server.as(server.owner).get(`${SESSIONS}/${id}/trajectory?format=native`);
    expect(native.body.messages.map(({ seq }: { seq: number }) => seq)).toEqual(
      Array.from({ length: 2 * count }, (_, index) => index + 1),
    );
  });

  test.each(['atif', 'openai', 'native'] as const)(
    'export reads pages only as the client takes them: %s',
    async (format) => {
      const kilobyte = 'x'.repeat(1_000);
      const large = [say.user(kilobyte.repeat(600)), say.user(kilobyte.repeat(600))];
      const id = await store({ messages: [...farApart(2_000, kilobyte), ...large, ...large] });
      const meter = new Meter();
      const options = { format, includeCompacted: true };
      let written = 0;
      let mostAhead = 0;
      for await (const piece of await exportTrajectory(server.db.withPlugin(meter), scope, id, options)) {
        mostAhead = Math.max(mostAhead, meter.characters - written);
        written += piece.length;
      }
      expect(meter.characters).toBeGreaterThan(6_400_000);
      expect(meter.characters).toBeLessThan(6_500_000);
      expect(mostAhead).toBeLessThan(1_300_000);
    },
  );
});

/** Measures how much content was read. */
class Meter implements KyselyPlugin {
  characters = 0;

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    for (const { content } of result.rows)
      this.characters += typeof content === 'string' ? content.length : 0;
    return result;
  }
}

describe('changes during an export', () => {
  const messages = Array.from({ length: 1_200 }, (_, index) => say.user(`message ${index + 1}`));
  const formats = ['atif', 'openai', 'native'] as const;

  /** Reads enough to know that the export has begun. */
  async function begin(id: string, format: (typeof formats)[number]) {
    const pieces = (await exportOf(id, { format }))[Symbol.asyncIterator]();
    let text = '';
    while (!text.includes('message 3')) {
      const { value, done } = await pieces.next();
      if (done) throw new Error('There was nothing to take.');
      text += value;
    }
    const finish = async () => {
      for (;;) {
        const { value, done } = await pieces.next();
        if (done) return text;
        text += value;
      }
    };
    return { finish, leave: () => pieces.return?.() };
  }

  test.each(formats)(
    'export fails when the session is rewound instead of mixing in later messages: %s',
    async (format) => {
      const id = await store({ messages });
      const { finish } = await begin(id, format);
      const session = sql`organization_id = ${scope.organizationId} AND`;
      await sql`DELETE FROM session_messages WHERE ${session} session_id = ${id} AND seq > 1000`.execute(
        server.db,
      );
      await sql`UPDATE sessions SET rewind_count = 1, last_seq = 1000 WHERE ${session} id = ${id}`.execute(
        server.db,
      );
      await expect(finish()).rejects.toMatchObject({ type: 'conflict_error' });
    },
  );

  test.each(formats)('export breaks off when the session is deleted: %s', async (format) => {
    const id = await store({ messages });
    const { finish } = await begin(id, format);
    expect((await server.as(server.owner).delete(`${SESSIONS}/${id}`)).status).toBe(204);
    await expect(finish()).rejects.toMatchObject({ type: 'conflict_error' });
  });

  test.each(formats)(
    'export leaves out messages and compactions that are stored after it began: %s',
    async (format) => {
      const id = await store({ messages });
      const { finish } = await begin(id, format);
      const path = `${SESSIONS}/${id}/transcript`;
      const owner = server.as(server.owner);
      expect((await owner.post(path, { messages: [say.user('too late')] })).status).toBe(201);
      const summary = say.user('a late summary');
      expect((await owner.post(`${path}/compact`, { up_to_seq: 1_200, summary })).status).toBe(201);
      const text = await finish();
      expect(text).not.toContain('late');
      expect(text).toContain('message 1200"');
      const { messages: rows = [] } = JSON.parse(text) as { messages?: { era?: number }[] };
      if (format === 'native') expect(new Set(rows.map(({ era }) => era))).toEqual(new Set([0]));
    },
  );

  test('export holds no transaction open and releases everything when the client disconnects', async () => {
    const id = await store({ messages });
    const begun = await Promise.all(Array.from({ length: 12 }, () => begin(id, 'openai')));
    const { rows } = await sql<{ state: string }>`
      SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND state LIKE 'idle in transaction%'`.execute(server.db);
    expect(rows).toEqual([]);
    for (const { leave } of begun) await leave();
    expect(await (await begin(id, 'openai')).finish()).toContain('message 1200"');
  });
});
