import { expect, test } from 'vitest';
import { sampleRows } from '../../../../scripts/demo/sample-rows.ts';
import { addProvider, W } from '../../../test/evaluation-world.ts';
import { answers, fails, type Script } from '../../../test/model-provider.ts';
import { JOBS, publishRows, startOptimizationWorld } from '../../../test/optimization-world.ts';
import { until } from '../../../test/processes.ts';

const world = await startOptimizationWorld({ environment: { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' } });
const { me, server, toRequest, create, getJob, jobEnded, listCandidates, listProposals } = world;
const provider = await addProvider(me);
const ROWS = 4;
await publishRows(me, 'few', sampleRows(ROWS));

/** One iteration over four rows, scored by the scripted provider: 4 calls for the seed, 3 for the parent, 3 for the child. */
const onProvider = {
  model: 'acme/large',
  dataset_ref: { name: 'few', version: '1.0.0' },
  config: { reflection_lm: 'sim/reflector', max_metric_calls: undefined, max_trials: 1 },
};
const wrong = answers({ text: 'x' });

/** Answers this many requests, then does what `last` says. */
function answersFirst(count: number, last: Script): void {
  let left = count;
  provider.always((request, response) => (left-- > 0 ? wrong : last)(request, response));
}

const call = (id: string, action: string, body?: object) => me.post(`${JOBS}/${id}/${action}`, body);

test('cancelOptimizationJob keeps what was measured, and retryOptimizationJob goes on from there', async () => {
  let held = 0;
  answersFirst(7, () => void held++);
  const before = provider.requests.length;
  const id = await create(onProvider);
  await until('the child is scored', () => held > 0);
  expect(await call(id, 'retry')).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/running/) },
  });
  expect(await call(id, 'promote', { version: '3.0.0' })).toMatchObject({ status: 409 });
  expect(await call(id, 'promote', { version: '3.0.0', candidate: 0 })).toMatchObject({
    status: 201,
    body: { candidate: 0, changed_files: [] },
  });
  expect((await call(id, 'cancel')).status).toBe(200);
  expect(await jobEnded(id)).toMatchObject({
    status: 'cancelled',
    summary: { best_score: 0, metadata: { stop_reason: 'cancelled', budget: { metric_calls_used: 7 } } },
  });
  expect(await call(id, 'cancel')).toMatchObject({ status: 409 });
  const [proposal] = await listProposals(id);
  expect(proposal).toMatchObject({
    status: 'unfinished',
    evaluations: [
      { purpose: 'parent', scored_count: 3 },
      { purpose: 'child', scored_count: 0 },
    ],
  });
  // This retry measures only what is not stored; the one with `from_start` below measures everything.
  provider.always(wrong);
  const { status, body } = await call(id, 'retry');
  expect({ status, body }).toMatchObject({ status: 201, body: { retry_of: id, status: 'queued' } });
  await until('the cancelled evaluation has ended', async () => {
    const { status: state } = (await me.get(`${W}/evaluation/${proposal.evaluations[1].evaluation_id}`)).body;
    return state !== 'running';
  });
  expect(await jobEnded(body.id)).toMatchObject({ status: 'completed', error: null });
  expect(provider.requests.length - before).toBe(7 + held + 3);
  expect((await listProposals(body.id))[0]).toMatchObject({ status: 'rejected', reason: 'not_better' });
  const { body: again } = await call(id, 'retry', { from_start: true });
  await jobEnded(again.id);
  expect(provider.requests.length - before).toBe(7 + held + 3 + 10);
});

test('createOptimizationJob fails when a row cannot be scored, and its retry scores that row alone', async () => {
  answersFirst(ROWS - 1, fails(500, 'The model is broken.'));
  const id = await create(onProvider);
  const job = await jobEnded(id);
  expect(job).toMatchObject({ status: 'failed', summary: { best_score: null } });
  expect(job.error).toMatch(
    /^Row \d could not be scored: .*The model is broken\..* Retry the job to go on from here\.$/s,
  );
  provider.always(wrong);
  const before = provider.requests.length;
  const { body } = await call(id, 'retry');
  expect(await jobEnded(body.id)).toMatchObject({ status: 'completed' });
  expect(provider.requests.length - before).toBe(1 + 3 + 3);
});

test('createOptimizationJob ends after three failed reflections, and its retry makes them again', async () => {
  provider.always(fails(400, 'No.'));
  const id = await create({ config: { reflection_lm: 'acme/large', max_metric_calls: 50 } });
  const job = await jobEnded(id);
  expect(job).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('No.'),
    summary: { best_score: 0 },
  });
  const proposals = await listProposals(id);
  expect(proposals.map(({ reason }: { reason: string }) => reason)).toEqual(
    Array(3).fill('reflection_failed'),
  );
  expect(await listCandidates(id)).toHaveLength(1);
  provider.always(answers({ text: '```\nAnswer with the result only.\u0000\n```' }));
  const { body } = await call(id, 'retry');
  expect(await jobEnded(body.id)).toMatchObject({
    status: 'completed',
    summary: { metadata: { seed_score: 0 } },
  });
  const [first] = await listProposals(body.id);
  expect(first).toMatchObject({ iteration: 0, status: 'accepted', minibatch: proposals[0].minibatch });
  expect(first.evaluations[0].evaluation_id).toBe(proposals[0].evaluations[0].evaluation_id);
});

test('promoteOptimizationCandidate publishes a version that says what was measured', async () => {
  const id = await create();
  const { summary } = await jobEnded(id);
  for (const [body, status] of [
    [{ version: '1.0.0' }, 409],
    [{ version: 'latest' }, 422],
    [{ version: '2.0.0', candidate: 99 }, 404],
    [{}, 422],
  ] as const)
    expect((await call(id, 'promote', body)).status).toBe(status);
  const { status, body } = await call(id, 'promote', { version: '2.0.0', candidate: 1 });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { version: '2.0.0', candidate: 1, changed_files: ['agents/helper.md'] },
  });
  expect(await call(id, 'promote', { version: '2.0.0', candidate: 1 })).toMatchObject({ status: 409 });
  const [, promoted] = await listCandidates(id);
  const { manifest } = (await me.get('/org/main/capabilities/assistant/2.0.0')).body;
  expect(manifest).toMatchObject({
    version: '2.0.0',
    lineage: {
      optimization_job: id,
      candidate: 1,
      from: 'assistant@1.0.0',
      model: 'sim/instructed',
      examples: 'questions@1.0.0',
      score: promoted.mean_score,
      score_before: 0,
      holdout_score: promoted.holdout_score,
      metric_calls: summary.metadata.budget.metric_calls_used,
      cost_usd: 0,
    },
  });
  expect((await getJob(id)).artifacts.promoted).toMatchObject([
    { capability: 'assistant', version: '2.0.0', candidate: 1 },
  ]);
});

test('cancelOptimizationJob and retryOptimizationJob reject members who did not create the job', async () => {
  provider.always(wrong);
  const id = await create(onProvider);
  const other = server.as(await server.addPerson('second', { role: 'member' }));
  expect((await other.get(`${JOBS}/${id}`)).status).toBe(200);
  for (const action of ['cancel', 'retry'])
    expect((await other.post(`${JOBS}/${id}/${action}`)).status).toBe(403);
  await jobEnded(id);
});

test('retryOptimizationJob uses every stored result that still fits when a failed reflection succeeds now', async () => {
  // Iteration 0: the reflection fails. Iteration 1: it succeeds, and the child cannot be scored.
  const few = { name: 'few', version: '1.0.0' };
  const config = { reflection_lm: 'acme/large', max_metric_calls: undefined, max_trials: 2 };
  provider.next(fails(400, 'No.'));
  provider.always(answers({ text: 'Same text.' }));
  const id = await create({ dataset_ref: few, config });
  await jobEnded(id);
  const before = await listProposals(id);
  expect(before.map(({ reason }: { reason: string }) => reason)).toEqual(['reflection_failed', 'not_better']);
  const calls = provider.requests.length;
  const { body } = await call(id, 'retry');
  await jobEnded(body.id);
  const after = await listProposals(body.id);
  expect(after.map(({ reason }: { reason: string }) => reason)).toEqual(['not_better', 'not_better']);
  // Only the reflection that had failed is asked for again: the answer of iteration 1 fits its prompt.
  expect(provider.requests.length - calls).toBe(1);
  const idsOf = ({ evaluations }: { evaluations: { evaluation_id: string }[] }) =>
    evaluations.map(({ evaluation_id }) => evaluation_id);
  expect(idsOf(after[1])).toEqual(idsOf(before[1]));
});

test('retryOptimizationJob goes on for another user when the creator has lost the rights', async () => {
  const leaving = await server.addPerson('leaving', { role: 'member' });
  let held = 0;
  answersFirst(2, () => void held++);
  const { body: job } = await server.as(leaving).post(JOBS, toRequest(onProvider));
  await until('samples are held', () => held > 0);
  expect((await me.delete(`/org/main/members/${leaving.id}`)).status).toBe(204);
  provider.always(wrong);
  expect((await call(job.id, 'cancel')).status).toBe(200);
  await jobEnded(job.id);
  const { body } = await call(job.id, 'retry');
  expect(await jobEnded(body.id)).toMatchObject({ status: 'completed', error: null });
});

test('cancelOptimizationJob of one retry does not stop another', async () => {
  const held: (() => void)[] = [];
  answersFirst(2, (request, response) => void held.push(() => wrong(request, response)));
  const id = await create(onProvider);
  await until('samples are held', () => held.length > 0);
  await call(id, 'cancel');
  await jobEnded(id);
  held.length = 0;
  const [first, second] = [(await call(id, 'retry')).body, (await call(id, 'retry')).body];
  await until(
    'the retries run',
    async () => held.length > 0 && (await getJob(second.id)).status === 'running',
  );
  provider.always(wrong);
  await call(first.id, 'cancel');
  expect(await jobEnded(first.id)).toMatchObject({ status: 'cancelled' });
  // The samples still wait for their answers when the second retry has taken the evaluation over.
  for (const answer of held) answer();
  expect(await jobEnded(second.id)).toMatchObject({ status: 'completed', error: null });
});

test('createOptimizationJob goes on when its project is deleted', async () => {
  const { body: project } = await me.post(`${W}/projects`, { name: 'Gone' });
  let held = 0;
  answersFirst(2, () => void held++);
  const id = await create({
    ...onProvider,
    project: project.key,
    config: { ...onProvider.config, reflection_lm: 'acme/large' },
  });
  await until('samples are held', () => held > 0);
  expect((await me.delete(`${W}/projects/${project.key}`)).status).toBe(204);
  provider.always(wrong);
  await call(id, 'cancel');
  await jobEnded(id);
  const { body } = await call(id, 'retry');
  expect(await jobEnded(body.id)).toMatchObject({ status: 'completed', project: null });
  expect((await listProposals(body.id))[0].reflections).toHaveLength(1);
});
