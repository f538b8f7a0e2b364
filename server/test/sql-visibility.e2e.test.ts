/** A query sees exactly the rows that the lists show to its caller, with the same values. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { SqlViewer } from '../src/platform/sql-tables/sql-table.ts';
import { SQL_TABLES } from '../src/sql-tables.ts';
import { type AskedRow, askRows, toMoment } from './asked-rows.ts';
import { type Person, startTestServer } from './harness.ts';
import { addOrganization, findOrganizationId } from './other-organization.ts';
import { CANARIES, fillWorld } from './sql-table-world.ts';

const server = await startTestServer();
const { owner, url } = server;
const ana = await server.addPerson('ana', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'member' });
const ada = await server.addPerson('ada', { role: 'admin' });
const people: Readonly<Record<string, Person>> = { owner, ana, ben, ada };
const organizationId = await findOrganizationId(server, 'main');
const otherId = await addOrganization(server, owner, 'other');
const W = '/org/main/ws/main';
await server.as(owner).post('/org/main/ws', { key: 'side', name: 'Side', is_restricted: true });
await server.as(owner).put(`/org/main/ws/side/members/${ben.id}`, { role: 'contributor' });
const workspaceIds: Readonly<Record<string, string>> = {
  main: (await server.as(owner).get(W)).body.id,
  side: (await server.as(owner).get('/org/main/ws/side')).body.id,
};

const viewerOf = (person: Person, workspace = 'main', projectId: string | null = null): SqlViewer => ({
  organizationId,
  workspaceId: workspaceIds[workspace] ?? '',
  userId: person.id,
  seesAllUsage: person === owner,
  projectId,
});

const ask = (name: string, viewer: SqlViewer) =>
  askRows({
    url,
    viewer,
    table: SQL_TABLES.find((table) => table.name === name) as (typeof SQL_TABLES)[number],
  });

beforeAll(() => fillWorld(server, { owner, ana, ben, ada }, { organizationId, otherId }));

type Item = AskedRow;

/** Reads every page of a list with page numbers. */
async function listAll(person: Person, path: string, name: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await server
      .as(person)
      .get(`${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`);
    expect(status, JSON.stringify(body)).toBe(200);
    items.push(...body[name]);
    if (body[name].length < 100) return items;
  }
}

async function listByCursor(person: Person, path: string, parameter = 'cursor'): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await server
      .as(person)
      .get(`${path}?limit=200${cursor && `&${parameter}=${encodeURIComponent(cursor)}`}`);
    items.push(...body.items);
    cursor = body.next_cursor;
  }
  return items;
}

/** Compares the fields that rows and items share; sorted, so that the order does not matter. */
function expectSame(rows: readonly AskedRow[], items: readonly Item[], key: (row: AskedRow) => string): void {
  const [shown] = items;
  expect(rows.length).toBe(items.length);
  if (!shown) return;
  const pick = (row: AskedRow) =>
    Object.fromEntries(Object.keys(shown).map((name) => [name, toPlain(name, row[name])]));
  const sort = (all: readonly AskedRow[]) => all.map(pick).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  expect(sort(rows)).toEqual(sort(items));
}

const toPlain = (name: string, value: unknown) => {
  if (/(_at|_time)$/.test(name)) return toMoment(value as string | null);
  return name.endsWith('cost_usd') && value !== null ? Number(Number(value).toFixed(12)) : value;
};

const PROJECTS_OF_TRACES = new Set(['one', 'two']);

describe.each(Object.entries(people))('%s', (_, person) => {
  test('sees the sessions of the list', async () => {
    const items = await listAll(
      person,
      `${W}/sessions?archived=any&include_workload_sessions=true`,
      'sessions',
    );
    const expected = items.map(
      ({ usage, created_by, group, workspace_id: _w, recent_message_count: _r, ...item }) =>
        Object.assign(item, usage, {
          username: created_by.username,
          group_kind: group?.kind ?? null,
          group_title: group?.title ?? null,
          group_status: group?.status ?? null,
        }),
    );
    expect(expected.length).toBeGreaterThan(20);
    expectSame(await ask('sessions', viewerOf(person)), expected, ({ id }) => id);
  });

  test('sees the messages of their transcripts', async () => {
    const rows = await ask('messages', viewerOf(person));
    const expected: Item[] = [];
    for (const { id: session_id, usage } of await listAll(
      person,
      `${W}/sessions?archived=any&include_workload_sessions=true`,
      'sessions',
    )) {
      const { body } = await server
        .as(person)
        .get(`${W}/sessions/${session_id}/transcript?limit=500&include_compacted=true`);
      const current = await server.as(person).get(`${W}/sessions/${session_id}/transcript?limit=500`);
      const isCurrent = new Set(current.body.messages.map(({ seq }: Item) => seq));
      expect(usage.total_message_count).toBe(body.messages.length);
      for (const { usage: used, ...message } of body.messages)
        expected.push({
          ...message,
          session_id,
          is_compacted: !isCurrent.has(message.seq),
          input_tokens: used?.input_tokens ?? null,
          output_tokens: used?.output_tokens ?? null,
          cache_read_input_tokens: used?.cache_read_input_tokens ?? null,
          cache_creation_input_tokens: used?.cache_creation_input_tokens ?? null,
          cost_usd: used?.cost_usd ?? null,
        });
    }
    expect(expected.filter(({ era }) => era > 1).length).toBeGreaterThan(0);
    expectSame(rows, expected, ({ session_id, seq }) => `${session_id} ${String(seq).padStart(9, '0')}`);
  });

  test('sees the traces of the list', async () => {
    const items = await listAll(person, `${W}/traces`, 'traces');
    expect(items.length).toBeGreaterThan(20);
    expectSame(await ask('traces', viewerOf(person)), items, ({ trace_id }) => trace_id);
  });

  test('sees the spans of these traces', async () => {
    const expected: Item[] = [];
    for (const { trace_id } of await listAll(person, `${W}/traces`, 'traces'))
      expected.push(...(await listByCursor(person, `${W}/traces/${trace_id}/spans`, 'after')));
    const flat = expected.map(
      ({
        status,
        start_time_unix_nano,
        end_time_unix_nano,
        input_messages: _i,
        output_messages: _o,
        has_children: _h,
        ...span
      }) =>
        Object.assign(span, {
          status_code: status.code,
          status_message: status.message,
          start_ns: Number(start_time_unix_nano.slice(-3)),
          end_ns: Number(end_time_unix_nano.slice(-3)),
        }),
    );
    expectSame(
      await ask('spans', viewerOf(person)),
      flat,
      ({ trace_id, span_id }) => `${trace_id} ${span_id}`,
    );
  });

  test('sees the runtimes of the list, and nothing of their environment', async () => {
    const items = await listByCursor(person, `${W}/runtimes`);
    const expected = items.map(({ instance, owned_by_me: _o, workspace_id: _w, ...runtime }) =>
      Object.assign(runtime, {
        sandbox_id: instance?.sandbox_id ?? null,
        sandbox_state: instance?.state ?? null,
        provider: instance?.provider ?? null,
        total_runtime_seconds: instance?.total_runtime_seconds ?? null,
        billed_credits: instance?.billed_credits ?? null,
        labels: { team: 'red' },
        memory_mb: 2048,
      }),
    );
    expect(expected).toHaveLength(3);
    expectSame(await ask('runtimes', viewerOf(person)), expected, ({ id }) => id);
  });

  test('sees the evaluations of the list, with their samples and scores', async () => {
    const { body } = await server.as(person).get(`${W}/evaluations?page_size=100`);
    expect(body.items).toHaveLength(2);
    const shared = [
      'id',
      'name',
      'model',
      'status',
      'project_id',
      'tags',
      'repetitions',
      'concurrency',
      'total_samples',
    ];
    const figures = [
      'passed_count',
      'failed_count',
      'error_count',
      'pass_rate',
      'mean_score',
      'cost_usd',
      'created_at',
    ];
    const pick = (row: Item, names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, row[name]]));
    const asked = await ask('evaluations', viewerOf(person));
    const scorings = asked.filter(({ optimization_job_id }) => optimization_job_id !== null);
    expect(scorings).toHaveLength(2);
    const hidden: Item[] = [];
    for (const { id } of scorings) hidden.push((await server.as(person).get(`${W}/evaluation/${id}`)).body);
    const evaluations = [...body.items, ...hidden].map((row: Item) => pick(row, [...shared, ...figures]));
    expectSame(asked, evaluations, ({ id }) => id);
    const items: Item[] = [];
    for (const { id } of evaluations)
      items.push(...(await server.as(person).get(`${W}/evaluation/${id}/items?page_size=100`)).body.items);
    const rows = await ask('evaluation_items', viewerOf(person));
    const columns = Object.keys(rows[0] ?? {}).filter((name) => name in (items[0] ?? {}));
    expect(columns.length).toBeGreaterThan(15);
    expectSame(
      rows,
      items.map((item) => pick(item, columns)),
      ({ id }) => id,
    );
    const scores = items.flatMap(({ id, evaluation_id, scores: given }) =>
      Object.entries<Item>(given).map(([scorer, score]) =>
        Object.assign({ item_id: id, evaluation_id, scorer }, score),
      ),
    );
    expect(scores).toHaveLength(4);
    expectSame(
      await ask('evaluation_scores', viewerOf(person)),
      scores,
      ({ item_id, scorer }) => `${item_id} ${scorer}`,
    );
  });

  test('sees the calls that usage sums', async () => {
    const rows = await ask('inference_usage', viewerOf(person));
    const whose = person === owner ? ['all'] : [person.id];
    const sums = new Map<string, Item>();
    for (const who of whose) {
      const query = `user_id=${who}&start_date=2020-01-01T00:00:00Z`;
      const { body } = await server.as(person).get(`/org/main/credits/inference-usage?${query}`);
      for (const model of body.models) sums.set(model.model, addUp(sums.get(model.model), model));
    }
    const byModel = new Map<string, Item>();
    for (const row of rows)
      byModel.set(row['model'], addUp(byModel.get(row['model']), { ...row, request_count: 1 }));
    expect(byModel).toEqual(sums);
    const returned = new Set(rows.map(({ session_id }) => session_id).filter((id) => id !== null));
    const visible = new Set((await ask('sessions', viewerOf(person))).map(({ id }) => id));
    expect(returned.size).toBe([owner, ada].includes(person) ? 0 : 1);
    expect([...returned].filter((id) => !visible.has(id))).toEqual([]);
  });

  test('sees the datasets, models, task sets and projects of the lists', async () => {
    for (const name of ['datasets', 'models']) {
      const items = await listAll(person, `/org/main/${name}`, name);
      expect(items).toHaveLength(2);
      expectSame(await ask(name, viewerOf(person)), items, ({ id }) => id);
    }
    const sets = await listAll(person, '/org/main/task-sets', 'task_sets');
    const expected = sets.map(({ created_by_user, organization_id: _i, org_key: _k, ...set }) =>
      Object.assign(set, {
        created_by: created_by_user.id,
        created_by_username: created_by_user.username,
      }),
    );
    expectSame(await ask('task_sets', viewerOf(person)), expected, ({ id }) => id);
    const { body } = await server.as(person).get(`${W}/projects`);
    const projects = body.map(({ workspace_id: _w, ...project }: Item) => project);
    expectSame(await ask('projects', viewerOf(person)), projects, ({ id }) => id);
  });

  test('sees of a project what the lists show of it', async () => {
    const { body: projects } = await server.as(person).get(`${W}/projects`);
    for (const { id, key } of projects) {
      const viewer = viewerOf(person, 'main', id);
      const asked = async (name: string, column = 'id') => valuesOf(await ask(name, viewer), column);
      const filter = `archived=any&include_workload_sessions=true&project_id=${id}`;
      const sessions = await listAll(person, `${W}/sessions?${filter}`, 'sessions');
      expect(await asked('sessions')).toEqual(valuesOf(sessions, 'id'));
      const spoken = sessions.filter(({ usage }) => usage.total_message_count > 0);
      expect(await asked('messages', 'session_id')).toEqual(valuesOf(spoken, 'id'));
      const traces = await listAll(person, `${W}/traces?project_id=${id}`, 'traces');
      expect(await asked('traces', 'trace_id')).toEqual(valuesOf(traces, 'trace_id'));
      expect(await asked('spans', 'trace_id')).toEqual(valuesOf(traces, 'trace_id'));
      expect(await asked('spans', 'project_id')).toEqual(new Set(traces.length > 0 ? [id] : []));
      if (PROJECTS_OF_TRACES.has(key)) expect(traces.length).toBeGreaterThan(0);
      const runtimes = await listByCursor(person, `${W}/runtimes`);
      const ofProject = runtimes.filter(({ project_id }) => project_id === id);
      expect(await asked('runtimes')).toEqual(valuesOf(ofProject, 'id'));
      const { items } = (await server.as(person).get(`${W}/evaluations?page_size=100&project_id=${id}`)).body;
      const jobs = (await server.as(person).get(`${W}/optimization/jobs?project=${id}`)).body.items;
      expect(await asked('optimization_jobs')).toEqual(valuesOf(jobs, 'id'));
      expect(await asked('optimization_candidates', 'job_id')).toEqual(valuesOf(jobs, 'id'));
      expect(await asked('optimization_proposals', 'job_id')).toEqual(valuesOf(jobs, 'id'));
      const trained = (await server.as(person).get(`${W}/training/jobs?project_ref=${id}`)).body.items;
      expect(await asked('training_jobs')).toEqual(valuesOf(trained, 'id'));
      for (const name of ['training_metrics', 'training_checkpoints'])
        expect(await asked(name, 'job_id')).toEqual(valuesOf(trained, 'id'));
      const found = (await server.as(person).get(`${W}/airt/assessments?project_id=${id}`)).body.items;
      expect(await asked('assessments')).toEqual(valuesOf(found, 'id'));
      for (const name of ['findings', 'trials', 'finding_reviews'])
        expect(await asked(name, 'assessment_id')).toEqual(valuesOf(found, 'id'));
      const evaluations = await ask('evaluations', viewer);
      const scorings = evaluations.filter(({ optimization_job_id }) => optimization_job_id !== null);
      expect(valuesOf(scorings, 'optimization_job_id')).toEqual(valuesOf(jobs, 'id'));
      expect(valuesOf(evaluations, 'id')).toEqual(valuesOf([...items, ...scorings], 'id'));
      expect(await asked('evaluation_items', 'evaluation_id')).toEqual(valuesOf(evaluations, 'id'));
      expect(await asked('evaluation_scores', 'evaluation_id')).toEqual(valuesOf(items, 'id'));
      expect(await asked('projects')).toEqual(new Set([id]));
    }
  });
});

const valuesOf = (rows: readonly AskedRow[], column: string) => new Set(rows.map((row) => row[column]));

const FIGURES = ['request_count', 'input_tokens', 'output_tokens', 'total_tokens', 'credits', 'cost_usd'];

const addUp = (sum: Item | undefined, more: Item): Item =>
  Object.fromEntries(
    FIGURES.map((name) => [name, Number((Number(sum?.[name] ?? 0) + Number(more[name])).toFixed(9))]),
  );

test('no column of any table reveals a value that the caller may not see', async () => {
  const all = async (viewer: SqlViewer) =>
    JSON.stringify(await Promise.all(SQL_TABLES.map(({ name }) => ask(name, viewer))));
  const { ben: bens, side, other, environment, deleted } = CANARIES;
  const returnedTo = async (viewer: SqlViewer) => {
    const text = await all(viewer);
    return [bens, side, other, environment, deleted].filter((canary) => text.includes(canary));
  };
  expect(await returnedTo(viewerOf(ben))).toEqual([bens]);
  expect(await returnedTo(viewerOf(ben, 'side'))).toEqual([side]);
  for (const person of [owner, ana, ada]) expect(await returnedTo(viewerOf(person))).toEqual([]);
  expect(await returnedTo({ ...viewerOf(owner), organizationId: otherId })).toEqual([other]);
});

test.each(Object.keys(people))('%s sees the same calls as in the usage operations', async (name) => {
  const as = server.as(people[name]);
  const { status } = await as.get('/org/main/credits/inference-usage?user_id=all');
  const query = 'SELECT DISTINCT username FROM inference_usage ORDER BY username';
  const { body } = await as.post(`${W}/query`, { query });
  const asked = (body.rows as string[][]).map(([username]) => username);
  if (name === 'owner') expect([status, asked.length]).toEqual([200, Object.keys(people).length]);
  else expect([status, asked]).toEqual([403, [name]]);
});
