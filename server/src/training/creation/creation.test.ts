/** What can be wrong with a request is found when a training job is created. */
import { expect, test } from 'vitest';
import {
  BASE_FILES,
  JOBS,
  publish,
  publishDataset,
  ROWS,
  startTrainingWorld,
  toLines,
  W,
} from '../../../test/training-world.ts';

const world = await startTrainingWorld();
const { me, toRequest, create } = world;

const issuesOf = async (change: object) => {
  const { status, body } = await me.post(JOBS, toRequest(change));
  expect({ status, body }).toMatchObject({ status: 422 });
  return body.errors as { loc: (string | number)[]; msg: string }[];
};

test('createTrainingJob stores the request as it was sent, and shows its defaults', async () => {
  const config = { dataset_ref: { name: 'facts', version: '1.0.0' }, learning_rate: 0.001 };
  const { status, body } = await me.post(
    JOBS,
    toRequest({ name: 'first', tags: ['a'], project_ref: 'default', run_ref: 'run-7', config }),
  );
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: 'first',
    status: 'queued',
    backend: 'hosted_a',
    trainer_type: 'sft',
    algorithm: null,
    model: 'main/tiny@1.0.0',
    capability: { name: 'helper', version: '1.0.0' },
    config,
    dataset_ref: { name: 'facts', version: '1.0.0', split: 'train' },
    prompt_dataset_ref: null,
    trajectory_dataset_refs: [],
    project_ref: 'default',
    run_ref: 'run-7',
    task_ref: null,
    tags: ['a'],
    error: null,
    metrics: { effective_config: { learning_rate: 0.001, epochs: 3, lora_alpha: 32 } },
  });
  expect(body.config).toEqual(config);
  expect(body.created_by_user).toMatchObject({ username: 'owner' });
  const { items, total } = (await me.get(`${JOBS}?status=queued&backend=tinker&project_ref=default`)).body;
  expect([total, items[0].id]).toEqual([1, body.id]);
});

const BOUNDED = [
  'batch_size',
  'checkpoint_interval',
  'epochs',
  'gradient_accumulation_steps',
  'lora_alpha',
  'lora_rank',
  'max_sequence_length',
  'steps',
];

test.each(BOUNDED)('createTrainingJob refuses %s below 1 and fractions of it', async (field) => {
  for (const value of [0, -1, 1.5, '4'])
    expect((await issuesOf({ config: { [field]: value } })).map(({ loc }) => loc)).toEqual([
      ['body', 'config', field],
    ]);
  await create({ config: { [field]: 1 } });
});

test('createTrainingJob refuses a learning rate that is not positive', async () => {
  for (const value of [0, -1e-4, 'x'])
    expect((await issuesOf({ config: { learning_rate: value } })).map(({ loc }) => loc)).toEqual([
      ['body', 'config', 'learning_rate'],
    ]);
});

test.each([
  [{ trainer_type: 'rl' }, ['body', 'trainer_type'], 'no engine for reinforcement learning'],
  [{ trainer_type: 'rl', backend: 'ray' }, ['body', 'trainer_type'], 'no engine'],
  [{ backend: 'hosted_b' }, ['body', 'backend'], 'reinforcement learning only'],
  [{ backend: 'other' }, ['body', 'backend'], ''],
  [{ world_manifest_id: 'x' }, ['body', 'world_manifest_id'], 'worlds are not offered here'],
  [{ config: { dataset_ref: null } }, ['body', 'config', 'dataset_ref'], 'nothing to train on'],
  [
    { config: { dataset_ref: { name: 'nothing', version: '1.0.0' } } },
    ['body', 'config', 'dataset_ref'],
    'was not found',
  ],
  [
    { config: { dataset_ref: { name: 'facts', version: '1.0.0', split: 'other' } } },
    ['body', 'config', 'dataset_ref', 'split'],
    'must be one of "train"',
  ],
  [{ capability_ref: { name: 'helper', version: '9.0.0' } }, ['body', 'capability_ref'], 'was not found'],
  [{ model: 'main/tiny@9.0.0' }, ['body', 'model'], 'was not found'],
  [{ project_ref: 'nothing' }, ['body', 'project_ref'], 'no project'],
])('createTrainingJob refuses %j', async (change, loc, message) => {
  const [issue] = await issuesOf(change);
  expect(issue?.loc).toEqual(loc);
  expect(issue?.msg).toContain(message);
});

test('createTrainingJob takes the names of other products for backends', async () => {
  const { status, body } = await me.post(JOBS, toRequest({ backend: 'tinker', model: 'Qwen/Qwen3-8B' }));
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { backend: 'hosted_a', model: 'Qwen/Qwen3-8B' },
  });
});

test('createTrainingJob names the first ten bad rows of a dataset', async () => {
  const bad = [
    { messages: [{ role: 'robot', content: 'x' }] },
    { messages: [{ role: 'user', content: 'x' }] },
    { messages: [] },
    { messages: [{ role: 'assistant', content: 'x', weight: 2 }] },
    { messages: [{ role: 'assistant' }] },
  ];
  await publishDataset(me, 'bad-rows', [...ROWS, ...bad]);
  const [issue] = await issuesOf({ config: { dataset_ref: { name: 'bad-rows', version: '1.0.0' } } });
  expect(issue?.msg).toContain('has 5 rows that cannot be trained on');
  for (const part of [
    'row 8, messages[0].role: must be one of',
    'row 9, messages: has no message of an assistant',
    'row 10, messages: must be a list',
    'row 11, messages[0].weight: must be 0 or 1',
    'row 12, messages[0].content: must be given',
  ])
    expect(issue?.msg).toContain(part);
  await publishDataset(me, 'one-bad', [...ROWS, { messages: [] }]);
  const [one] = await issuesOf({ config: { dataset_ref: { name: 'one-bad', version: '1.0.0' } } });
  expect(one?.msg).toContain('has 1 row that cannot be trained on');
  await publishDataset(
    me,
    'all-bad',
    Array.from({ length: 30 }, () => ({ text: '' })),
  );
  const [many] = await issuesOf({ config: { dataset_ref: { name: 'all-bad', version: '1.0.0' } } });
  expect(many?.msg).toContain('has at least 10 rows');
  expect(many?.msg).toContain('row 9, text');
  expect(many?.msg).not.toContain('row 10');
});

test('createTrainingJob names the columns that a dataset lacks', async () => {
  await publishDataset(me, 'no-columns', [{ question: 'a', answer: 'b' }]);
  const [issue] = await issuesOf({ config: { dataset_ref: { name: 'no-columns', version: '1.0.0' } } });
  expect(issue?.msg).toBe(
    'needs the columns "messages", or "prompt" and "completion", or "text"; it has "question", "answer"',
  );
});

test('createTrainingJob takes prompts with completions, texts and trajectories, also from CSV', async () => {
  await publishDataset(me, 'pairs', [{ prompt: 'a', completion: 'b' }]);
  const csv = 'messages\n"[{""role"":""assistant"",""content"":""x""}]"\n';
  await publish(me, 'datasets/table/1.0.0', { 'dataset.yaml': 'summary: x\n', 'train.csv': csv });
  await publishDataset(me, 'atif', [
    { schema_version: 'ATIF-v1.7', steps: [{ source: 'agent', message: 'hi' }] },
  ]);
  for (const name of ['pairs', 'table'])
    await create({ config: { dataset_ref: { name, version: '1.0.0' } } });
  const id = await create({
    config: { dataset_ref: null, trajectory_dataset_refs: [{ name: 'atif', version: '1.0.0' }] },
  });
  expect((await me.get(`${JOBS}/${id}`)).body).toMatchObject({
    dataset_ref: null,
    trajectory_dataset_refs: [{ name: 'atif', version: '1.0.0', split: 'train' }],
  });
  const [issue] = await issuesOf({
    config: { dataset_ref: null, trajectory_dataset_refs: [{ name: 'pairs', version: '1.0.0' }] },
  });
  expect(issue?.loc).toEqual(['body', 'config', 'trajectory_dataset_refs', 0]);
});

test.each([
  ['config.json', 'has no config.json'],
  ['model.safetensors', 'has no weights'],
  ['tokenizer_config.json', 'has no chat template'],
])('createTrainingJob refuses a base model without %s', async (missing, message) => {
  const name = `without-${missing.replaceAll(/[^a-z]/g, '-')}`;
  const files = Object.fromEntries(Object.entries(BASE_FILES).filter(([path]) => path !== missing));
  await publish(me, `models/${name}/1.0.0`, files);
  const [issue] = await issuesOf({ model: `main/${name}@1.0.0` });
  expect(issue).toMatchObject({ loc: ['body', 'model'] });
  expect(issue?.msg).toContain(message);
});

test('createTrainingJob takes a base model without a chat template for rows of text', async () => {
  const { 'tokenizer_config.json': _, ...files } = BASE_FILES;
  await publish(me, 'models/plain/1.0.0', files);
  await publishDataset(me, 'texts', [{ text: 'once upon a time' }]);
  await create({ model: 'main/plain@1.0.0', config: { dataset_ref: { name: 'texts', version: '1.0.0' } } });
});

test('estimateTrainingJob counts examples, tokens and steps, and stores nothing', async () => {
  const rows = [...ROWS, { messages: [{ role: 'assistant', content: 'x'.repeat(40_000) }] }];
  await publish(me, 'datasets/long/1.0.0', { 'dataset.yaml': 'summary: x\n', 'train.jsonl': toLines(rows) });
  const before = (await me.get(JOBS)).body.total;
  const config = { dataset_ref: { name: 'long', version: '1.0.0' }, epochs: 2, batch_size: 2 };
  const { status, body } = await me.post(`${JOBS}/estimate`, toRequest({ config }));
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { examples: 9, steps: 10, truncated_examples: 1, rows_read: 9 },
  });
  expect(body.longest_rows[0]).toMatchObject({ dataset: 'long@1.0.0', row: 8 });
  expect(body.tokens).toBeGreaterThan(2_048);
  expect((await me.get(JOBS)).body.total).toBe(before);
});

test('listTrainableModels leaves out adapters', async () => {
  await publish(me, 'models/an-adapter/1.0.0', {
    'model.yaml': 'framework: peft\n',
    'adapter_config.json': '{}',
  });
  for (const path of [`${W}/training/catalog?limit=50`, '/training/catalog?limit=50']) {
    const { models } = (await me.get(path)).body;
    const names = models.map(({ name }: { name: string }) => name);
    expect(names).toContain('main/tiny@1.0.0');
    expect(names).not.toContain('main/an-adapter@1.0.0');
  }
});
