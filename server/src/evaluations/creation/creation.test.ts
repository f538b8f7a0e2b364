/** What is refused when an evaluation is created, and what is kept of the request. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bundle } from '../../../test/bundles.ts';
import { startEvaluationWorld, W } from '../../../test/evaluation-world.ts';

const { server, me, publishTask, evaluate } = await startEvaluationWorld({ hasWorker: false });

const ok = { files: { 'verify.sh': 'true\n' } };
await publishTask('plain', 'echo hello', ok);
await publishTask('imaged', 'true', { ...ok, manifest: { environment: { image: 'python:3.12' } } });
await publishTask('built', 'true', {
  files: { 'verify.sh': 'true\n', Dockerfile: 'FROM scratch\n' },
  manifest: { environment: { build: '.' } },
});
await publishTask('online', 'true', { ...ok, manifest: { environment: { network: 'open' } } });
await publishTask('served', 'true', { ...ok, manifest: { instruction: 'Ask {{service_url}}.' } });
const data = [
  { question: 'What is 6 * 7?', answer: 42 },
  { question: 'What is 6 * 9?', answer: 54 },
];
await me.put(
  '/org/main/datasets/sums/1.0.0',
  bundle({
    'dataset.yaml': 'summary: sums\n',
    'data.jsonl': data.map((row) => JSON.stringify(row)).join('\n'),
  }),
);
await me.put(
  '/org/main/datasets/wide/1.0.0',
  bundle({
    'dataset.yaml': 'summary: wide\n',
    'data.jsonl': JSON.stringify({ question: 'x'.repeat(1_000), answer: 'a\0b' }),
  }),
);
const capability = {
  'capability.yaml': JSON.stringify({ schema: 1, name: 'coder', version: '1.0.0', description: 'Codes.' }),
  'agents/planner.md': '---\nname: planner\n---\nPlan first.\n',
  'skills/git/SKILL.md': '---\nname: git\ndescription: Uses git.\n---\nUse git.\n',
};
await me.put('/org/main/capabilities/coder/1.0.0', bundle(capability));

const base = { name: 'test', model: 'sim/tool-user' };
const dataset = { name: 'sums', version: '1.0.0', input: 'question', expected: 'answer' };
const exact = [{ type: 'exact' }];

const create = (request: object) => me.post(`${W}/evaluation`, { ...base, ...request });

test.each<[string, object, (string | number)[], RegExp]>([
  ['no name', { name: undefined, task_names: ['plain'] }, ['body', 'name'], /required/],
  ['a blank name', { name: ' ', task_names: ['plain'] }, ['body', 'name'], /./],
  ['a name of 256 characters', { name: 'x'.repeat(256), task_names: ['plain'] }, ['body', 'name'], /./],
  ['no model', { model: undefined, task_names: ['plain'] }, ['body', 'model'], /required/],
  ['an unknown model', { model: 'acme/none', task_names: ['plain'] }, ['body', 'model'], /acme\/none/],
  ['no tasks', {}, ['body', 'task_names'], /exactly one/],
  ['task_set and task_names', { task_set: 'x', task_names: ['plain'] }, ['body', 'task_set'], /exactly one/],
  ['an empty list of tasks', { task_names: [] }, ['body', 'task_names'], /./],
  ['an unknown task', { task_names: ['plain', 'none'] }, ['body', 'task_names', 1], /"none" is not a task/],
  ['an unknown version', { task_names: ['plain@2.0.0'] }, ['body', 'task_names', 0], /no such version/],
  ['a malformed task', { task_names: ['a b'] }, ['body', 'task_names', 0], /not the name/],
  ['a task with an image', { task_names: ['imaged'] }, ['body', 'task_names', 0], /images are not offered/],
  ['a task with a build', { task_names: ['built'] }, ['body', 'task_names', 0], /images are not offered/],
  ['a task with an open network', { task_names: ['online'] }, ['body', 'task_names', 0], /open network/],
  ['a task with a service', { task_names: ['served'] }, ['body', 'task_names', 0], /service/],
  ['an unknown task set', { task_set: 'none' }, ['body', 'task_set'], /not a task set/],
  ['a dataset without scorers', { dataset }, ['body', 'scorers'], /at least one/],
  [
    'a version of a capability that is none',
    { task_names: ['sum'], capability: { name: 'x', version: 'latest' } },
    ['body', 'capability', 'version'],
    /version/i,
  ],
  [
    'an unknown dataset',
    { dataset: { ...dataset, name: 'none' }, scorers: exact },
    ['body', 'dataset', 'name'],
    /none/,
  ],
  [
    'an unknown split',
    { dataset: { ...dataset, split: 'x' }, scorers: exact },
    ['body', 'dataset', 'split'],
    /./,
  ],
  [
    'an unknown column',
    { dataset: { ...dataset, input: 'none' }, scorers: exact },
    ['body', 'dataset', 'input'],
    /"none" is not a column/,
  ],
  [
    'an unknown column in a template',
    { dataset: { ...dataset, input: 'Q: {{none}}' }, scorers: exact },
    ['body', 'dataset', 'input'],
    /"none"/,
  ],
  [
    'a capability for a dataset without an agent',
    { dataset, scorers: exact, capability: { name: 'coder' } },
    ['body', 'capability'],
    /give agent/,
  ],
  ...['/', 'a/', '../a', 'a//b'].map((path): [string, object, (string | number)[], RegExp] => [
    `the file "${path}" for the rows of a dataset`,
    { dataset: { ...dataset, files: { [path]: 'answer' } }, scorers: exact, agent: 'basic' },
    ['body', 'dataset', 'files', path],
    /./,
  ]),
  [
    'a template of blanks that is never closed',
    { dataset: { ...dataset, input: `{{${' '.repeat(90_000)}x` }, scorers: exact },
    ['body', 'dataset', 'input'],
    /is not a column/,
  ],
  [
    'a template that fills in 8 MB for a row',
    { dataset: { ...dataset, name: 'wide', input: '{{question}}'.repeat(8_000) }, scorers: exact },
    ['body', 'dataset'],
    /more than 1000000 characters for row 0/,
  ],
  [
    'an unknown column of a scorer',
    { dataset, scorers: [{ type: 'exact', column: 'none' }] },
    ['body', 'scorers', 0, 'column'],
    /"none"/,
  ],
  [
    'a scorer of an unknown type',
    { dataset, scorers: [{ type: 'guess' }] },
    ['body', 'scorers', 0, 'type'],
    /./,
  ],
  [
    'a scorer with nothing to compare with',
    { task_names: ['plain'], scorers: exact },
    ['body', 'scorers', 0],
    /nothing to compare/,
  ],
  [
    'two scorers of one name',
    {
      task_names: ['plain'],
      scorers: [
        { type: 'exact', name: 'a', value: 1 },
        { type: 'contains', name: 'a', value: 'x' },
      ],
    },
    ['body', 'scorers', 1, 'name'],
    /already/,
  ],
  [
    'eleven scorers',
    { task_names: ['plain'], scorers: Array.from({ length: 11 }, () => ({ type: 'exact', value: 1 })) },
    ['body', 'scorers'],
    /./,
  ],
  [
    'an agent without a capability',
    { task_names: ['plain'], agent: 'planner' },
    ['body', 'agent'],
    /not known/,
  ],
  [
    'an agent that the capability lacks',
    { task_names: ['plain'], capability: { name: 'coder' }, agent: 'none' },
    ['body', 'agent'],
    /it has "planner"/,
  ],
  [
    'an unknown capability',
    { task_names: ['plain'], capability: { name: 'none' } },
    ['body', 'capability'],
    /none/,
  ],
  [
    'an unknown version of a capability',
    { task_names: ['plain'], capability: { name: 'coder', version: '9.0.0' } },
    ['body', 'capability'],
    /9\.0\.0/,
  ],
  ['repetitions 0', { task_names: ['plain'], repetitions: 0 }, ['body', 'repetitions'], /./],
  ['repetitions 17', { task_names: ['plain'], repetitions: 17 }, ['body', 'repetitions'], /./],
  ['concurrency 0', { task_names: ['plain'], concurrency: 0 }, ['body', 'concurrency'], /./],
  ['concurrency 101', { task_names: ['plain'], concurrency: 101 }, ['body', 'concurrency'], /./],
  [
    '10,001 tasks',
    { task_names: Array.from({ length: 10_001 }, () => 'plain') },
    ['body', 'task_names'],
    /./,
  ],
  ['seed -1', { task_names: ['plain'], seed: -1 }, ['body', 'seed'], /./],
  ['51 tags', { task_names: ['plain'], tags: Array.from({ length: 51 }, String) }, ['body', 'tags'], /./],
  ['task_timeout_sec 0', { task_names: ['plain'], task_timeout_sec: 0 }, ['body', 'task_timeout_sec'], /./],
  [
    'a timeout of over a day',
    { task_names: ['plain'], limits: { task_timeout_seconds: 86_401 } },
    ['body', 'limits', 'task_timeout_seconds'],
    /./,
  ],
  [
    'max_output_tokens 0',
    { task_names: ['plain'], limits: { max_output_tokens: 0 } },
    ['body', 'limits', 'max_output_tokens'],
    /./,
  ],
  ['max_turns 0', { task_names: ['plain'], limits: { max_turns: 0 } }, ['body', 'limits', 'max_turns'], /./],
  [
    'a negative cost',
    { task_names: ['plain'], limits: { max_cost_usd: -1 } },
    ['body', 'limits', 'max_cost_usd'],
    /./,
  ],
  ['a negative budget', { task_names: ['plain'], budget_usd: -1 }, ['body', 'budget_usd'], /./],
  ['max_retries 6', { task_names: ['plain'], max_retries: 6 }, ['body', 'max_retries'], /./],
  [
    'an unknown runtime',
    { task_names: ['plain'], runtime_id: crypto.randomUUID() },
    ['body', 'runtime_id'],
    /no runtime/,
  ],
  [
    'an unknown project',
    { task_names: ['plain'], project_id: crypto.randomUUID() },
    ['body', 'project_id'],
    /no project/,
  ],
  [
    'an unknown secret',
    { task_names: ['plain'], secret_ids: [crypto.randomUUID()] },
    ['body', 'secret_ids', 0],
    /no secret/,
  ],
])('createEvaluation refuses %s', async (_, request, loc, message) => {
  const { status, body } = await create(request);
  expect({ status, type: body.type }).toEqual({ status: 422, type: 'validation_error' });
  expect(body.errors[0].loc).toEqual(loc);
  expect(body.errors[0].msg).toMatch(message);
});

test('createEvaluation names all tasks that do not resolve', async () => {
  const { body } = await create({ task_names: ['none', 'plain', 'nothing'] });
  expect(body.errors.map(({ loc }: { loc: unknown[] }) => loc.at(-1))).toEqual([0, 2]);
});

test('createEvaluation keeps the request with defaults, and pins versions', async () => {
  const request = {
    task_names: ['plain'],
    capability: { name: 'coder' },
    agent: 'planner',
    task_timeout_sec: 90,
    tags: ['nightly'],
    seed: 7,
  };
  const { status, body } = await create(request);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ...base,
    status: 'queued',
    task_names: ['plain'],
    task_set: null,
    dataset: null,
    scorers: [],
    agent: 'planner',
    capability: { name: 'coder', version: '1.0.0' },
    repetitions: 1,
    concurrency: 4,
    requested_concurrency: 4,
    effective_concurrency: 4,
    limits: { max_turns: 50, task_timeout_seconds: 90 },
    budget_usd: null,
    max_retries: 2,
    runtime_id: null,
    project_id: null,
    secret_ids: [],
    seed: 7,
    tags: ['nightly'],
    total_samples: 1,
    passed_count: 0,
    failed_count: 0,
    error_count: 0,
    pass_rate: null,
    mean_score: null,
    skipped_members: [],
    stop_reason: null,
    pause_reason: null,
    error: null,
    cost_usd: 0,
    analytics_snapshot: null,
    started_at: null,
    completed_at: null,
  });
  expect(body.item_counts).toMatchObject({ queued: 1, passed: 0 });
  expect(body.created_by_user).toMatchObject({ username: 'owner' });
});

test('createEvaluation lists members of a task set that do not resolve, and refuses a set without others', async () => {
  await me.post('/org/main/task-sets', { name: 'mixed', members: ['plain', 'gone', 'plain@7.0.0'] });
  const { body } = await create({ task_set: 'mixed' });
  expect(body).toMatchObject({
    total_samples: 1,
    task_set: 'mixed',
    skipped_members: [
      { task_name: 'gone', task_version: null, reason: 'not_found' },
      { task_name: 'plain', task_version: '7.0.0', reason: 'version_not_found' },
    ],
  });
  await me.post('/org/main/task-sets', { name: 'hollow', members: ['gone'] });
  expect(await create({ task_set: 'hollow' })).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'task_set'] }] },
  });
});

test('createEvaluation refuses a runtime, a secret and a private task of others', async () => {
  const mia = await server.addPerson('mia', { role: 'member' });
  const runtime = await me.post(`${W}/runtimes`, { key: 'template' });
  const secret = await me.post('/user/secrets', { name: 'TOKEN', value: 'x' });
  const asMia = server.as(mia);
  const request = { ...base, task_names: ['plain'] };
  for (const more of [{ runtime_id: runtime.body.id }, { secret_ids: [secret.body.id] }])
    expect(await asMia.post(`${W}/evaluation`, { ...request, ...more })).toMatchObject({ status: 422 });
  expect(
    await create({ task_names: ['plain'], runtime_id: runtime.body.id, secret_ids: [secret.body.id] }),
  ).toMatchObject({ status: 201 });
});

test('estimateEvaluation counts samples and sandboxes, and stores nothing', async () => {
  const before = (await me.get(`${W}/evaluations`)).body.total;
  const { status, body } = await me.post(`${W}/evaluation/estimate`, {
    ...base,
    task_names: ['plain'],
    repetitions: 3,
    budget_usd: 2,
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    total_samples: 3,
    sandboxes: 6,
    cost_usd: 0,
    max_cost_usd: 2,
    skipped_members: [],
  });
  expect((await me.get(`${W}/evaluations`)).body.total).toBe(before);
});

test('listEvaluations filters, searches, sorts and pages', async () => {
  const names = ['Alpha', 'beta', 'gamma'];
  for (const name of names) await evaluate({ name, task_names: ['plain'], model: 'sim/echo' });
  const list = async (query: string) => (await me.get(`${W}/evaluations?model=sim/echo&${query}`)).body;
  expect((await list('sort_by=name&sort_dir=asc')).items.map(({ name }: { name: string }) => name)).toEqual(
    names,
  );
  expect(await list('page=2&page_size=2')).toMatchObject({
    total: 3,
    page: 2,
    page_size: 2,
    items: [{ name: 'Alpha' }],
  });
  expect(await list('page=9')).toMatchObject({ total: 3, items: [] });
  expect((await list('search=ALPH')).items).toHaveLength(1);
  expect((await list('status=completed')).items).toEqual([]);
  const facets = async (query: string) => (await me.get(`${W}/evaluations/facets?${query}`)).body;
  expect(await facets('model=sim/echo&status=completed&search=a')).toEqual({
    statuses: [{ value: 'queued', count: 3 }],
    models: [],
  });
  expect((await facets('search=ALPH')).models).toEqual([{ value: 'sim/echo', count: 1 }]);
  expect((await facets(`project_id=${crypto.randomUUID()}`)).statuses).toEqual([]);
  expect((await list('status=none')).type).toBe('validation_error');
  expect((await list('page_size=101')).type).toBe('validation_error');
});

test('getEvaluation answers 404 for an unknown evaluation, and for one of another workspace', async () => {
  const id = await evaluate({ task_names: ['plain'] });
  await me.post('/org/main/ws', { name: 'elsewhere' });
  expect(await me.get(`/org/main/ws/elsewhere/evaluation/${id}`)).toMatchObject({ status: 404 });
  for (const path of ['none', crypto.randomUUID()])
    expect(await me.get(`${W}/evaluation/${path}`)).toMatchObject({ status: 404 });
});

test('createEvaluation stores columns with NUL, which becomes U+FFFD', async () => {
  const id = await evaluate({
    dataset: { name: 'wide', version: '1.0.0', input: 'Say {{ answer }}' },
    scorers: [{ type: 'exact', column: 'answer' }],
  });
  const { rows } = await sql`
    SELECT input, columns FROM evaluation_rows /* of every organization */ WHERE evaluation_id = ${id}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ input: 'Say a\uFFFDb', columns: { answer: 'a\uFFFDb' } }]);
});
