/** How samples run and end: datasets, limits, verifications, failures of providers and tasks. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bundle } from '../../../test/bundles.ts';
import { addProvider, startEvaluationWorld, W } from '../../../test/evaluation-world.ts';
import { answers, fails } from '../../../test/model-provider.ts';

const world = await startEvaluationWorld({ environment: { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' } });
const { me, publishTask, evaluate, ended, listItems } = world;
let { worker } = world;
const provider = await addProvider(me);
const VERIFY = { files: { 'verify.sh': 'test -f done.txt\n' } };
const bash = (command: string) =>
  answers({ text: '', toolCalls: [{ id: 'call', name: 'bash', arguments: JSON.stringify({ command }) }] });

const PASSED = { item_status: 'passed', passed: true, score: 1, error: null };
const FAILED = { item_status: 'failed', passed: false, score: 0, error: null };
const VERIFIER_ERROR = { item_status: 'failed', passed: false, score: 0, error_kind: 'verifier' };

const rewarded = (script: string) => ({ files: { 'verify.sh': `${script}\n` } });
const COPY_REWARD = 'cp "$DRYDOCK_TASK_DIR/reward.json" "$DRYDOCK_REWARD_FILE"';

/** Ends the sandbox from inside. Its first process takes no signals before it has begun to wait for them, so they are sent until it ends. */
const END = 'while :; do kill -TERM 1; sleep 0.1; done';

/** Runs one sample, and gives back its item. */
async function runOne(request: object) {
  const id = await evaluate({ name: 'one', max_retries: 0, ...request });
  const evaluation = await ended(id);
  const [item] = await listItems(id);
  return { id, evaluation, item };
}

test('evaluationJob makes one model call for each row and lets scorers decide when a dataset has no agent', async () => {
  const rows = [
    { question: 'four', answer: 'four', context: 'Count.' },
    { question: 'five', answer: 'six', context: 'Count.' },
  ];
  const content = rows.map((row) => JSON.stringify(row)).join('\n');
  const files = { 'dataset.yaml': 'summary: x\n', 'data.jsonl': content };
  await me.put('/org/main/datasets/echoes/1.0.0', bundle(files));
  const id = await evaluate({
    model: 'sim/echo',
    dataset: {
      name: 'echoes',
      version: '1.0.0',
      input: '{{question}}',
      expected: 'answer',
      system: 'context',
    },
    scorers: [{ type: 'exact' }, { type: 'contains', value: 'f', name: 'has_f' }],
  });
  expect(await ended(id)).toMatchObject({
    status: 'completed',
    passed_count: 1,
    failed_count: 1,
    mean_score: 0.75,
  });
  const [right, wrong] = await listItems(id);
  expect(right).toMatchObject({
    row_index: 0,
    task_name: null,
    passed: true,
    score: 1,
    answer: 'four',
    agent_sandbox_id: null,
  });
  expect(wrong).toMatchObject({ row_index: 1, item_status: 'failed', passed: false, score: 0.5 });
  expect(wrong.scores).toEqual({
    exact: { value: 0, passed: false, explanation: '"five" is not "six".', error: null },
    has_f: { value: 1, passed: true, explanation: '"five" contains "f".', error: null },
  });
  const transcript = await me.get(`${W}/evaluation/${id}/items/${right.id}/transcript`);
  expect(transcript.body).toMatchObject({
    current_system_prompt: 'Count.',
    messages: [
      { role: 'user', content: 'four' },
      { role: 'assistant', content: 'four' },
    ],
  });
});

test('evaluationJob runs each row in a sandbox with its files when a dataset has an agent', async () => {
  const row = { question: '```sh\ncat data/note.txt\n```', note: 'from the row' };
  await me.put(
    '/org/main/datasets/files/1.0.0',
    bundle({ 'dataset.yaml': 'summary: x\n', 'data.jsonl': JSON.stringify(row) }),
  );
  const { item } = await runOne({
    dataset: { name: 'files', version: '1.0.0', input: 'question', files: { 'data/note.txt': 'note' } },
    agent: 'basic',
    scorers: [{ type: 'exact', column: 'note' }],
  });
  expect(item).toMatchObject({ item_status: 'passed', answer: 'from the row', changed_files: [] });
});

test('evaluationJob lists the files that an agent has changed, whatever their names, and none of the setup', async () => {
  await publishTask(
    'changing',
    String.raw`mkdir -p sub; printf 12345 > sub/made.txt; echo more >> given.txt; printf x > "$(printf 'two\nlines')"; ln -s given.txt link`,
    {
      files: { 'verify.sh': 'true\n', 'given.txt': 'given\n', 'other.txt': 'other\n' },
      manifest: { environment: { files: { 'given.txt': 'given.txt', 'other.txt': 'other.txt' } } },
    },
  );
  expect((await runOne({ task_names: ['changing'] })).item.changed_files).toEqual([
    { path: 'given.txt', size_bytes: 11 },
    { path: 'sub/made.txt', size_bytes: 5 },
    { path: 'two\nlines', size_bytes: 1 },
  ]);
});

test('evaluationJob puts files of the task in place, runs its setup, and hides its verification from the agent', async () => {
  await publishTask(
    'prepared',
    'cat /workspace/in/a.txt setup.txt; echo $GREETING; find /workspace /home /opt /tmp /var /run -name "verify*" 2>/dev/null | wc -l',
    {
      files: { 'verify.sh': 'test -f "$DRYDOCK_TASK_DIR/files/a.txt"\n', 'files/a.txt': 'A\n' },
      manifest: {
        environment: {
          files: { in: 'files' },
          setup: ['echo prepared > setup.txt'],
          env: { GREETING: 'hello' },
        },
      },
    },
  );
  const { id, item } = await runOne({ task_names: ['prepared'] });
  expect(item).toMatchObject({ item_status: 'passed', answer: '0' });
  const { body } = await me.get(`${W}/evaluation/${id}/items/${item.id}/transcript`);
  expect(body.messages[2].content).toBe('A\nprepared\nhello\n0\n');
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** What is published as a task, and what its sample comes to. */
const VERIFIED: Record<string, [block: string, task: object, result: object]> = {
  'exact-right': ['echo yes', { manifest: { verification: { method: 'exact', expected: 'yes' } } }, PASSED],
  'exact-wrong': [
    'echo yes indeed',
    { manifest: { verification: { method: 'exact', expected: 'yes' } } },
    FAILED,
  ],
  contains: ['echo oh yes', { manifest: { verification: { method: 'contains', expected: 'yes' } } }, PASSED],
  'flag-answer': [
    'echo "F{1}"',
    { manifest: { verification: { method: 'flag', hash: sha256('F{1}') } } },
    PASSED,
  ],
  'flag-file': [
    'echo "F{2}" > flag.txt; echo no',
    { manifest: { verification: { method: 'flag', hash: sha256('F{2}') } } },
    PASSED,
  ],
  'flag-folder': [
    'mkdir flag.txt; echo no',
    { manifest: { verification: { method: 'flag', hash: sha256('F{3}') } } },
    FAILED,
  ],
  'reward-number': [
    'echo x',
    rewarded('echo 0.25 > "$DRYDOCK_REWARD_FILE"'),
    { item_status: 'passed', score: 0.25 },
  ],
  'reward-metrics': [
    'echo x',
    rewarded(`echo '{"score": 0.5, "metrics": {"lines": 3}}' > "$DRYDOCK_REWARD_FILE"; exit 1`),
    { item_status: 'failed', score: 0.5, metrics: { lines: 3 } },
  ],
  'reward-nonsense': [
    'echo x',
    rewarded('echo great > "$DRYDOCK_REWARD_FILE"'),
    { ...VERIFIER_ERROR, error: 'The reward file holds neither a number nor JSON.' },
  ],
  'reward-above-1': ['echo x', rewarded('echo 7 > "$DRYDOCK_REWARD_FILE"'), VERIFIER_ERROR],
  'reward-large': ['echo x', rewarded('head -c 1000000 /dev/zero > "$DRYDOCK_REWARD_FILE"'), VERIFIER_ERROR],
  'reward-folder': ['echo x', rewarded('mkdir "$DRYDOCK_REWARD_FILE"'), VERIFIER_ERROR],
};

test('verify decides samples by script, flag, text and reward', async () => {
  for (const [name, [block, task]] of Object.entries(VERIFIED)) await publishTask(name, block, task);
  const id = await evaluate({ task_names: Object.keys(VERIFIED), max_retries: 0 });
  await ended(id);
  const items = await listItems(id);
  for (const [index, [name, [, , result]]] of Object.entries(VERIFIED).entries())
    expect(items[index], name).toMatchObject(result);
});

test('verify fails the sample with a verifier error when the script takes too long', async () => {
  await publishTask('endless', 'echo x', {
    files: { 'verify.sh': 'echo begun; exec tail -f /dev/null\n' },
    manifest: { verification: { method: 'script', script: 'verify.sh', timeout_seconds: 3 } },
  });
  const { item } = await runOne({ task_names: ['endless'] });
  expect(item).toMatchObject({
    item_status: 'failed',
    passed: false,
    error_kind: 'verifier',
    error: 'The verification took longer than 3 s.',
    verification: { exit_code: null, stdout: 'begun\n' },
  });
});

test('verify runs, and the sample fails with a limit error, when the agent runs out of turns', async () => {
  provider.always(bash('echo again'));
  await publishTask('turns', 'unused', VERIFY);
  const { item } = await runOne({ model: 'acme/large', task_names: ['turns'], limits: { max_turns: 2 } });
  expect(item).toMatchObject({
    item_status: 'failed',
    stop_reason: 'max_turns',
    error_kind: 'limit',
    turn_count: 2,
    error: 'The agent did not finish within 2 turns.',
    verification: { exit_code: 1 },
  });
  provider.always(bash('touch done.txt'));
  const { item: passed } = await runOne({
    model: 'acme/large',
    task_names: ['turns'],
    limits: { max_turns: 1 },
  });
  expect(passed).toMatchObject({ item_status: 'passed', stop_reason: 'max_turns', error: null });
});

test('verify runs, and the sample ends as timed_out, when the agent runs out of time', async () => {
  await publishTask('slow', 'tail -f /dev/null', VERIFY);
  const { item } = await runOne({ task_names: ['slow'], limits: { task_timeout_seconds: 1 } });
  expect(item).toMatchObject({
    item_status: 'timed_out',
    passed: false,
    stop_reason: 'timeout',
    error_kind: 'limit',
  });
});

test('evaluationJob stops an agent at its cost limit, and records cost and tokens of the gateway', async () => {
  provider.always(bash('echo again'));
  await publishTask('spender', 'unused', VERIFY);
  // Each call is 7 + 5 tokens at 1,000 US dollars a million.
  const { item, evaluation } = await runOne({
    model: 'acme/large',
    task_names: ['spender'],
    limits: { max_cost_usd: 0.02 },
  });
  expect(item).toMatchObject({ stop_reason: 'cost', usage: { input_tokens: 14, output_tokens: 10 } });
  expect(item.usage.cost_usd).toBeCloseTo(0.024, 10);
  expect(evaluation.cost_usd).toBeCloseTo(0.024, 10);
  const usage = await me.get(`/org/main/usage/inference?session_id=${item.session_id}`);
  expect(usage.status).toBeLessThan(500);
});

test('evaluationJob ends the sample with an agent error when the provider refuses a request', async () => {
  provider.always(fails(400, 'No such parameter.'));
  await publishTask('refused', 'unused', VERIFY);
  const { item } = await runOne({ model: 'acme/large', task_names: ['refused'] });
  expect(item).toMatchObject({ item_status: 'failed', stop_reason: 'error', error_kind: 'agent' });
  expect(item.error).toContain('No such parameter');
});

test('evaluationJob retries, keeps each attempt, and leaves the sample out of the rate when the provider fails', async () => {
  provider.always(fails(503));
  await publishTask('unlucky', 'unused', VERIFY);
  const id = await evaluate({ model: 'acme/large', task_names: ['unlucky'], max_retries: 1 });
  const evaluation = await ended(id);
  expect(evaluation).toMatchObject({
    status: 'completed',
    error_count: 1,
    passed_count: 0,
    failed_count: 0,
    pass_rate: null,
  });
  const [item] = await listItems(id);
  expect(item).toMatchObject({
    item_status: 'infra_error',
    passed: null,
    score: null,
    error_kind: 'infra',
    retry_count: 1,
    max_retries: 1,
  });
  const { body: attempts } = await me.get(`${W}/evaluation/${id}/items/${item.id}/attempts`);
  expect(attempts).toMatchObject([
    { number: 1, status: 'infra_error', is_counted: false, error_kind: 'infra' },
    { number: 2, status: 'infra_error', is_counted: true, error_kind: 'infra' },
  ]);
  expect(attempts[0].session_id).not.toBe(attempts[1].session_id);
});

test('evaluationJob ends the sample with an infrastructure error that shows the output when a setup fails', async () => {
  await publishTask('broken', 'echo x', {
    files: { 'verify.sh': 'true\n' },
    manifest: { environment: { setup: ['echo the disk is missing >&2; exit 3'] } },
  });
  const { item } = await runOne({ task_names: ['broken'] });
  expect(item).toMatchObject({ item_status: 'infra_error', error_kind: 'infra' });
  expect(item.error).toBe('The setup of the task ended with exit code 3: the disk is missing');
});

test('verify runs, and there is no infrastructure error, when an agent ends its own sandbox', async () => {
  await publishTask('last', `touch done.txt; kill -9 -1; ${END}`, VERIFY);
  expect((await runOne({ task_names: ['last'] })).item).toMatchObject({ item_status: 'passed' });
  // The second command finds no sandbox.
  provider.next(bash(END));
  provider.always(bash('echo again'));
  await publishTask('quitter', 'unused', VERIFY);
  const { item } = await runOne({ model: 'acme/large', task_names: ['quitter'] });
  expect(item).toMatchObject({
    item_status: 'failed',
    stop_reason: 'error',
    error_kind: 'agent',
    passed: false,
  });
  expect(item.error).toContain('The agent ended its sandbox.');
});

test('evaluationJob runs a task version that was deleted after the creation', async () => {
  await publishTask('doomed', 'cat here.txt', {
    files: { 'verify.sh': 'test -f "$DRYDOCK_TASK_DIR/here.txt"\n', 'here.txt': 'still here' },
    manifest: { environment: { files: ['here.txt'] } },
  });
  await worker?.stop();
  const id = await evaluate({ task_names: ['doomed'] });
  expect(await me.delete('/org/main/tasks/doomed/1.0.0')).toMatchObject({ status: 204 });
  worker = await world.startWorker();
  expect(await ended(id)).toMatchObject({ passed_count: 1 });
  const files = async () =>
    (
      await sql`SELECT path FROM artifact_files /* of every organization */ WHERE path = 'here.txt'`.execute(
        world.server.db,
      )
    ).rows.length;
  expect(await files()).toBe(1);
  expect(await me.delete(`${W}/evaluation/${id}`)).toMatchObject({ status: 204 });
  expect(await files()).toBe(0);
});

test('verify replaces NUL, half characters and invalid UTF-8 of a script by U+FFFD', async () => {
  const reward = '{"score":0.5,"metrics":{"a\\u0000":"\\ud800"}}';
  const script = `printf 'a\\000b\\377'; printf 'c\\000' >&2; ${COPY_REWARD}; exit 1\n`;
  await publishTask('binary', 'true', { files: { 'verify.sh': script, 'reward.json': reward } });
  const { evaluation, item } = await runOne({ task_names: ['binary'] });
  expect(evaluation).toMatchObject({ status: 'completed', failed_count: 1 });
  expect(item).toMatchObject({
    score: 0.5,
    metrics: { 'a\uFFFD': '\uFFFD' },
    verification: { exit_code: 1, stdout: 'a\uFFFDb\uFFFD', stderr: 'c\uFFFD' },
  });
});

test('verify fails the sample with a verifier error when metrics are nested by the thousand', async () => {
  const nested = `{"score":1,"metrics":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  await publishTask('nested', 'true', { files: { 'verify.sh': COPY_REWARD, 'reward.json': nested } });
  const { item } = await runOne({ task_names: ['nested'] });
  expect(item).toMatchObject({ item_status: 'failed', error_kind: 'verifier' });
  expect(item.error).toMatch(/nested deeper than 64/);
});

test('evaluationJob ends the sample with an infrastructure error when a setup fails with NUL in its output', async () => {
  await publishTask('binary-setup', 'true', {
    files: { 'verify.sh': 'true\n' },
    manifest: { environment: { setup: ["printf 'no\\000pe' >&2; exit 3"] } },
  });
  const { item } = await runOne({ task_names: ['binary-setup'], max_retries: 1 });
  expect(item).toMatchObject({ item_status: 'infra_error', retry_count: 1 });
  expect(item.error).toContain('no\uFFFDpe');
});

test('verify gives no score and stores the error when every scorer fails', async () => {
  await me.put(
    '/org/main/datasets/wordy/1.0.0',
    bundle({ 'dataset.yaml': 'summary: x\n', 'data.jsonl': '{"question":"4","answer":"none"}' }),
  );
  const { evaluation, item } = await runOne({
    model: 'sim/echo',
    dataset: { name: 'wordy', version: '1.0.0', input: 'question', expected: 'answer' },
    scorers: [{ type: 'numeric' }],
  });
  expect(item).toMatchObject({ item_status: 'failed', score: null, error_kind: 'verifier' });
  expect(item.error).toMatch(/No scorer came to a result.*holds no number/);
  expect(evaluation).toMatchObject({ mean_score: null });
});

test('verify ends the sandbox of the agent when its worker died before it had ended', async () => {
  await publishTask('left', 'true', VERIFY);
  provider.next(bash('touch done.txt'));
  provider.always(() => undefined);
  const before = provider.requests.length;
  const id = await evaluate({ model: 'acme/large', task_names: ['left'], max_retries: 0 });
  await expect.poll(() => provider.requests.length).toBe(before + 2);
  await worker?.stop();
  await sql`
    UPDATE evaluation_items /* of every organization */ SET status = 'agent_finished', stop_reason = 'finished'
     WHERE evaluation_id = ${id}`.execute(world.server.db);
  worker = await world.startWorker();
  expect(await ended(id)).toMatchObject({ status: 'completed', passed_count: 1 });
  const [item] = await listItems(id);
  expect((await me.get(`${W}/evaluation/${id}/items/${item.id}/attempts`)).body).toHaveLength(1);
});
