import { expect, test } from 'vitest';
import { bundle } from '../../../test/bundles.ts';
import { publishCapability } from '../../../test/capabilities.ts';
import { W } from '../../../test/evaluation-world.ts';
import { JOBS, publishRows, startOptimizationWorld } from '../../../test/optimization-world.ts';

const { me, server, toRequest, publishTask } = await startOptimizationWorld({ hasWorker: false });

await publishTask('task', 'true', { files: { 'verify.sh': 'true\n' } });
await publishCapability(me, { name: 'bare' });
await publishCapability(me, { name: 'two', files: { 'agents/a.md': 'A', 'agents/b.md': 'B' } });
await publishRows(me, 'unanswered', [
  { input: 'a', expected_output: 'b' },
  { input: 'a', expected_output: null },
]);
await publishRows(me, 'renamed', [{ query: 'a', expected_output: 'b', other: 1 }]);
await publishRows(me, 'both', [
  { question: 'asked', input: 'old', expected_output: 'b' },
  { question: null, input: null, prompt: 'prompted', expected_output: 'b' },
]);
await publishRows(me, 'silent', [
  { input: 'a', expected_output: 'b' },
  { input: ' ', expected_output: 'b' },
]);
await me.put(
  '/org/main/datasets/empty/1.0.0',
  bundle({ 'dataset.yaml': 'summary: empty\n', 'train.csv': 'input,expected_output\n' }),
);
await publishRows(me, 'chats', [
  { messages: [{ role: 'user', content: 'Hello' }], expected_output: 'b' },
  {
    messages: [
      { role: 'system', content: 'unused' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
    ],
    expected_output: 'b',
  },
]);

const ref = (name: string, version = '1.0.0') => ({ name, version });
const onTasks = {
  target_kind: 'capability_env',
  dataset_ref: undefined,
  task_refs: ['task'],
  reward_recipe: { name: 'row_reward_v1' },
};
const withConfig = (config: object) => ({ config });

test.each<[string, object, readonly (string | number)[], RegExp]>([
  ['an unknown model', { model: 'none/at-all' }, ['body', 'model'], /none\/at-all/],
  [
    'an unknown reflection model',
    withConfig({ reflection_lm: 'x/y' }),
    ['body', 'config', 'reflection_lm'],
    /x\/y/,
  ],
  ['an unknown target', { target_kind: 'world' }, ['body', 'target_kind'], /capability_agent/],
  ['another backend', { backend: 'other' }, ['body', 'backend'], /optimizer_a/],
  ['an unknown capability', { capability_ref: ref('none') }, ['body', 'capability_ref'], /"none"/],
  [
    'an unknown version',
    { capability_ref: ref('assistant', '9.0.0') },
    ['body', 'capability_ref'],
    /9\.0\.0/,
  ],
  [
    'a version that is none',
    { capability_ref: ref('assistant', 'latest') },
    ['body', 'capability_ref', 'version'],
    /semver|semantic|version/i,
  ],
  ['a capability without agents', { capability_ref: ref('bare') }, ['body', 'capability_ref'], /no agent/],
  ['one of several agents', { capability_ref: ref('two') }, ['body', 'agent_name'], /"a", "b"/],
  ['an unknown agent', { agent_name: 'nobody' }, ['body', 'agent_name'], /has "helper"/],
  [
    'a component of the other target',
    { components: ['agent_prompt'] },
    ['body', 'components'],
    /"instructions"/,
  ],
  [
    'a component that the capability lacks',
    { ...onTasks, components: ['skill_bodies'] },
    ['body', 'components'],
    /assistant@1\.0\.0 has no "skill_bodies"/,
  ],
  ['no dataset', { dataset_ref: undefined }, ['body', 'dataset_ref'], /is needed/],
  ['an unknown dataset', { dataset_ref: ref('none') }, ['body', 'dataset_ref'], /none/],
  ['an empty dataset', { dataset_ref: ref('empty') }, ['body', 'dataset_ref'], /has no rows/],
  ['tasks for single calls', { task_refs: ['task'] }, ['body', 'task_refs'], /capability_env/],
  ['no tasks', { ...onTasks, task_refs: undefined }, ['body', 'task_refs'], /exactly one/],
  [
    'tasks and a dataset',
    { ...onTasks, dataset_ref: ref('questions') },
    ['body', 'task_refs'],
    /exactly one/,
  ],
  ['tasks twice', { ...onTasks, task_ref: 'task' }, ['body', 'task_refs'], /exactly one/],
  ['an empty list of tasks', { ...onTasks, task_refs: [] }, ['body', 'task_refs'], />=1|at least/],
  [
    'an unknown task',
    { ...onTasks, task_refs: ['task', 'none'] },
    ['body', 'task_refs', 1],
    /"none" is not a task/,
  ],
  [
    'two validation sets',
    { ...onTasks, val_task_refs: ['task'], val_dataset_ref: ref('questions') },
    ['body', 'val_dataset_ref'],
    /val_task_refs are given as well/,
  ],
  ['no recipe', { reward_recipe: undefined }, ['body', 'reward_recipe'], /expected object|required/i],
  [
    'an unknown recipe',
    { reward_recipe: { name: 'best_v1' } },
    ['body', 'reward_recipe', 'name'],
    /contains_v1/,
  ],
  [
    'a recipe without its parameter',
    { reward_recipe: { name: 'contains_v1' } },
    ['body', 'reward_recipe', 'params'],
    /needle/,
  ],
  [
    'a recipe that tasks cannot be scored by',
    { ...onTasks, reward_recipe: { name: 'exact_match_v1' } },
    ['body', 'reward_recipe'],
    /row_reward_v1/,
  ],
  [
    'a large reward',
    { reward_recipe: { name: 'exact_match_v1', params: { reward_if_true: 1e308 } } },
    ['body', 'reward_recipe', 'params'],
    /from -1000000/,
  ],
  [
    'long parameters',
    { reward_recipe: { name: 'exact_match_v1', params: { x: 'x'.repeat(10_000) } } },
    ['body', 'reward_recipe', 'params'],
    /10000 characters/,
  ],
  [
    'a row without an expected output',
    { dataset_ref: ref('unanswered') },
    ['body', 'dataset_ref'],
    /row 1: .*"expected_output"/,
  ],
  ['a row without an input', { dataset_ref: ref('silent') }, ['body', 'dataset_ref'], /row 1 has no input/],
  [
    'rows without an input column',
    { dataset_ref: ref('renamed') },
    ['body', 'dataset_ref'],
    /"query", "expected_output", "other"/,
  ],
  [
    'a mapping of an unknown column',
    { dataset_ref: ref('renamed'), ...withConfig({ dataset_input_mapping: ['question:input'] }) },
    ['body', 'config', 'dataset_input_mapping', 0],
    /"question" is not a column/,
  ],
  [
    'an unknown selector',
    withConfig({ candidate_selection_strategy: 'best' }),
    ['body', 'config', 'candidate_selection_strategy'],
    /pareto/,
  ],
  [
    'an unknown module selector',
    withConfig({ module_selector: 'x' }),
    ['body', 'config', 'module_selector'],
    /round_robin/,
  ],
  [
    'an unknown sampler',
    withConfig({ batch_sampler: 'x' }),
    ['body', 'config', 'batch_sampler'],
    /epoch_shuffled/,
  ],
  [
    'an unknown policy',
    withConfig({ val_evaluation_policy: 'x' }),
    ['body', 'config', 'val_evaluation_policy'],
    /full_eval/,
  ],
  [
    'objectives of single calls',
    withConfig({ frontier_type: 'objective' }),
    ['body', 'config', 'frontier_type'],
    /objective scores/,
  ],
  [
    'a template without placeholders',
    withConfig({ reflection_prompt_template: 'Improve <curr_param>' }),
    ['body', 'config', 'reflection_prompt_template'],
    /<side_info>/,
  ],
  [
    'a budget that the seed uses up',
    withConfig({ max_metric_calls: 24 }),
    ['body', 'config', 'max_metric_calls'],
    /takes 24 metric calls.* at least 54/,
  ],
  ['no concurrency', withConfig({ concurrency: 0 }), ['body', 'config', 'concurrency'], />=1|at least/],
  [
    'short records',
    withConfig({ max_side_info_chars: 255 }),
    ['body', 'config', 'max_side_info_chars'],
    /256/,
  ],
  [
    'no examples in reflections',
    withConfig({ max_reflection_examples: 0 }),
    ['body', 'config', 'max_reflection_examples'],
    />=1|at least/,
  ],
  ['no time', withConfig({ timeout_sec: 0 }), ['body', 'config', 'timeout_sec'], />=1|at least/],
  [
    'no overlap of merges',
    withConfig({ merge_val_overlap_floor: 0 }),
    ['body', 'config', 'merge_val_overlap_floor'],
    />=1|at least/,
  ],
  ['a large holdout', { holdout_fraction: 0.6 }, ['body', 'holdout_fraction'], /0\.5/],
  ['an unknown project', { project: 'none' }, ['body', 'project'], /names no project/],
])('createOptimizationJob refuses %s', async (_, change, loc, message) => {
  for (const path of [JOBS, `${JOBS}/estimate`]) {
    const { status, body } = await me.post(path, toRequest(change));
    expect({ status, body }).toMatchObject({ status: 422, body: { type: 'validation_error' } });
    const found = body.errors.find((error: { loc: unknown[] }) => error.loc.join() === loc.join());
    expect(found ?? body.errors, JSON.stringify(body)).toMatchObject({ msg: expect.stringMatching(message) });
  }
  expect((await me.get(JOBS)).body.total).toBe(0);
});

test('createOptimizationJob stores the request with defaults and with versions resolved', async () => {
  const { status, body } = await me.post(JOBS, {
    name: 'Improve',
    backend: 'gepa',
    target_kind: 'capability_agent',
    model: 'sim/instructed',
    capability_ref: ref('assistant'),
    dataset_ref: ref('questions'),
    reward_recipe: { name: 'exact_match_v1' },
    project: 'default',
    run_ref: 'run-7',
    surplus: 1,
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: 'Improve',
    status: 'queued',
    backend: 'optimizer_a',
    target_kind: 'capability_agent',
    capability: {
      name: 'assistant',
      version: '1.0.0',
      runtime_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    agent_name: 'helper',
    components: ['instructions'],
    dataset_ref: { name: 'questions', version: '1.0.0', split: 'train' },
    val_dataset_ref: null,
    task_refs: null,
    reward_recipe: { name: 'exact_match_v1', params: {} },
    holdout_fraction: 0.2,
    project: 'default',
    run_ref: 'run-7',
    tags: [],
    retry_of: null,
    metrics: { score: [], best_score: [], holdout_score: [] },
    artifacts: { promoted: [] },
    error: null,
    started_at: null,
    created_by_email: server.owner.email,
  });
  expect(body.config).toMatchObject({
    candidate_selection_strategy: 'pareto',
    frontier_type: 'instance',
    concurrency: 1,
    parallel_rows: 1,
    reflection_minibatch_size: 3,
    max_reflection_examples: 10,
    max_side_info_chars: 4_000,
    max_metric_calls: 100,
    seed: 0,
  });
  expect(body.summary).toMatchObject({
    best_candidate: null,
    best_score: null,
    best_scores: {},
    frontier_size: 0,
    train_size: 24,
    val_size: 0,
    metadata: {
      budget: {
        metric_calls_used: 0,
        metric_calls_limit: 100,
        metric_calls_floor: 54,
        reflection_calls: 0,
        cost_usd: 0,
      },
      iteration: -1,
      holdout_size: 6,
    },
  });
  expect(
    (await me.get(`${JOBS}?status=queued&target_kind=capability_agent&project=default`)).body,
  ).toMatchObject({
    total: 1,
    page: 1,
    page_size: 20,
  });
  expect((await me.get(`${JOBS}?status=running`)).body.total).toBe(0);
  await me.post(`${JOBS}/${body.id}/cancel`);
});

test('createOptimizationJob warns of a budget below the floor, and takes timeout and tasks from the top or from config', async () => {
  const { body } = await me.post(
    JOBS,
    toRequest({
      ...onTasks,
      task_refs: undefined,
      timeout_sec: 90,
      config: { task_ref: 'task', max_metric_calls: 5 },
    }),
  );
  expect(body).toMatchObject({
    task_refs: ['task@1.0.0'],
    config: { timeout_sec: 90 },
    components: ['agent_prompt'],
  });
  expect(body.summary.metadata.warnings).toEqual([
    'max_metric_calls is 5; the seed and one iteration with an accepted candidate take 8.',
  ]);
  await me.post(`${JOBS}/${body.id}/cancel`);
});

test('createOptimizationJob renames columns and reads conversations', async () => {
  const first = async (change: object) => {
    const { body } = await me.post(JOBS, toRequest({ config: { max_metric_calls: 10 }, ...change }));
    expect(body).toMatchObject({ status: 'queued' });
    const { items } = (await me.get(`${JOBS}/${body.id}/examples`)).body;
    await me.post(`${JOBS}/${body.id}/cancel`);
    return items.map(({ input }: { input: string }) => input);
  };
  const config = { dataset_input_mapping: ['query:input', 'other'], max_metric_calls: 10 };
  expect(await first({ dataset_ref: ref('renamed'), config })).toEqual(['a']);
  const mapped = { dataset_input_mapping: ['question:input'], max_metric_calls: 10 };
  expect(await first({ dataset_ref: ref('both'), config: mapped })).toEqual(['asked', 'prompted']);
  expect(await first({ dataset_ref: ref('both') })).toEqual(['old', 'prompted']);
  expect(await first({ dataset_ref: ref('chats') })).toEqual(['Hello', 'user: One\n\nassistant: Two']);
});

test('estimateOptimizationJob returns calls and cost, and stores nothing', async () => {
  const { total } = (await me.get(JOBS)).body;
  const { status, body } = await me.post(`${JOBS}/estimate`, toRequest());
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      train_size: 24,
      val_size: 0,
      holdout_size: 6,
      metric_calls_floor: 54,
      metric_calls_limit: 60,
      cost_usd: 0,
      warnings: [],
    },
  });
  expect(body.metric_calls).toBeGreaterThan(24);
  expect(body.reflection_calls).toBeGreaterThan(0);
  expect((await me.get(JOBS)).body.total).toBe(total);
});

test('getOptimizationJob does not find a job of another workspace', async () => {
  const { body: job } = await me.post(JOBS, toRequest());
  expect((await me.post('/org/main/ws', { name: 'Other', key: 'other' })).status).toBe(201);
  const elsewhere = JOBS.replace(W, '/org/main/ws/other');
  for (const path of ['', '/candidates', '/proposals', '/examples', '/logs', '/artifacts', '/events'])
    expect(await me.get(`${elsewhere}/${job.id}${path}`)).toMatchObject({ status: 404 });
  for (const path of ['/cancel', '/retry'])
    expect(await me.post(`${elsewhere}/${job.id}${path}`)).toMatchObject({ status: 404 });
  expect(await me.post(`${elsewhere}/${job.id}/promote`, { version: '2.0.0' })).toMatchObject({
    status: 404,
  });
  expect(await me.get(`${JOBS}/not-an-id`)).toMatchObject({ status: 404 });
  await me.post(`${JOBS}/${job.id}/cancel`);
});
