import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { W } from '../../../test/evaluation-world.ts';
import { openEvents } from '../../../test/event-harness.ts';
import { JOBS, startOptimizationWorld } from '../../../test/optimization-world.ts';

const { me, server, create, jobEnded, listCandidates, listProposals } = await startOptimizationWorld();

interface Candidate {
  readonly parents: readonly number[];
  readonly texts: object;
  readonly scores: readonly number[];
  readonly metric_calls: number;
}

const toTree = (candidates: readonly Candidate[]) =>
  candidates.map(({ parents, texts, scores, metric_calls }) => ({ parents, texts, scores, metric_calls }));

let first = '';
let ended: Awaited<ReturnType<typeof jobEnded>>;

beforeAll(async () => {
  first = await create({ name: 'first', objective: 'Short answers.', tags: ['a'] });
  ended = await jobEnded(first);
});

test('createOptimizationJob raises the score on the holdout by 0.3 within 60 metric calls', async () => {
  expect(ended).toMatchObject({ status: 'completed', error: null, backend: 'optimizer_a', tags: ['a'] });
  const { summary, metrics } = ended;
  expect(summary).toMatchObject({ train_size: 24, val_size: 0, objective: 'Short answers.' });
  const { metadata } = summary;
  expect(metadata).toMatchObject({ holdout_size: 6, seed_score: 0, seed_holdout_score: 0, warnings: [] });
  expect(metadata.holdout_score - metadata.seed_holdout_score).toBeGreaterThanOrEqual(0.3);
  expect(summary.best_candidate.instructions).toContain(
    'You are a helpful assistant.\nAnswer with the result only.',
  );
  const { budget } = metadata;
  expect(budget).toMatchObject({ metric_calls_limit: 60, metric_calls_floor: 54, cost_usd: 0 });
  // The check comes between iterations, of which one takes two minibatches and a validation at most.
  expect(budget.metric_calls_used).toBeGreaterThanOrEqual(60);
  expect(budget.metric_calls_used).toBeLessThan(60 + 2 * 3 + 24);
  expect(metrics.best_score.at(-1).value).toBe(summary.best_score);
});

test('createOptimizationJob finds the same tree with the same seed', async () => {
  const second = await create({ name: 'first', objective: 'Short answers.', tags: ['a'] });
  await jobEnded(second);
  expect(toTree(await listCandidates(second))).toEqual(toTree(await listCandidates(first)));
});

test('listOptimizationCandidates shows how each candidate was found', async () => {
  const [seed, child] = await listCandidates(first);
  expect(seed).toMatchObject({
    index: 0,
    iteration: -1,
    found_by: 'seed',
    parents: [],
    reflections: [],
    was_best: true,
  });
  expect(child).toMatchObject({ index: 1, found_by: 'reflection', parents: [0] });
  const [reflection] = child.reflections;
  expect(reflection).toMatchObject({ component: 'instructions', error: null, cost_usd: 0 });
  expect(reflection.prompt).toMatch(
    /^The objective: Short answers\.[\s\S]*# Example 1\n## Inputs\n[\s\S]*Expected output: /,
  );
  expect(reflection.response).toContain('Answer with the result only.');
  const { body: session } = await me.get(`${W}/sessions/${reflection.session_id}`);
  expect(session).toMatchObject({ origin: 'optimization', visibility: 'workspace', message_count: 2 });
});

test('listOptimizationProposals shows rejected proposals, with all that was measured', async () => {
  const proposals = await listProposals(first);
  const accepted = proposals.find(({ status }: { status: string }) => status === 'accepted');
  expect(accepted).toMatchObject({
    iteration: 0,
    reason: null,
    parents: [0],
    candidate_index: 1,
    components: ['instructions'],
    previous_texts: { instructions: 'You are a helpful assistant.' },
    cost_usd: 0,
  });
  const purposes = accepted.evaluations.map(({ purpose }: { purpose: string }) => purpose);
  expect(purposes).toEqual(['parent', 'child', 'validation', 'holdout']);
});

test('listEvaluations leaves the evaluations of jobs out, which users cannot change', async () => {
  expect((await me.get(`${W}/evaluations`)).body).toMatchObject({ total: 0, items: [] });
  expect((await me.get(`${W}/evaluations/facets`)).body).toEqual({ statuses: [], models: [] });
  const [seed] = await listCandidates(first);
  const path = `${W}/evaluation/${seed.evaluation_id}`;
  expect((await me.get(path)).body).toMatchObject({ status: 'completed', total_samples: 24 });
  for (const answer of [await me.post(`${path}/cancel`), await me.delete(path)])
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`optimization job ${first}`) },
    });
  const { items } = (await me.get(`${path}/items`)).body;
  const { body: session } = await me.get(`${W}/sessions/${items[0].session_id}`);
  expect(session).toMatchObject({ origin: 'optimization', visibility: 'workspace' });
});

test('createOptimizationJob makes several proposals in one iteration with concurrency', async () => {
  const id = await create({ config: { concurrency: 2, max_metric_calls: undefined, max_trials: 2 } });
  expect(await jobEnded(id)).toMatchObject({
    status: 'completed',
    summary: { metadata: { stop_reason: 'max_trials' } },
  });
  const proposals = await listProposals(id);
  expect(
    proposals.map(({ iteration, proposal }: { iteration: number; proposal: number }) => [
      iteration,
      proposal,
    ]),
  ).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
});

test('createOptimizationJob scores candidates on a validation set of its own', async () => {
  const id = await create({
    val_dataset_ref: { name: 'questions', version: '1.0.0' },
    config: { max_metric_calls: 80 },
  });
  const job = await jobEnded(id);
  expect(job.summary).toMatchObject({
    train_size: 30,
    val_size: 30,
    metadata: { holdout_size: 0, holdout_score: null },
  });
  expect((await listCandidates(id))[0].scores).toHaveLength(30);
  expect((await me.get(`${JOBS}/${id}/examples?split=validation`)).body.total).toBe(30);
});

test('createOptimizationJob ends with everything kept when its time is over', async () => {
  const id = await create({
    config: { max_metric_calls: undefined, max_runtime_sec: 1, skip_perfect_score: false },
  });
  const job = await jobEnded(id);
  expect(job).toMatchObject({
    status: 'completed',
    summary: { metadata: { stop_reason: 'max_runtime_sec' } },
  });
  expect((await listCandidates(id)).length).toBeGreaterThanOrEqual(1);
});

test('listOptimizationLogs lists what happened', async () => {
  const { items } = (await me.get(`${JOBS}/${first}/logs`)).body;
  const messages = items.map(({ message }: { message: string }) => message);
  expect(messages.slice(0, 3)).toEqual([
    'The job has started; the capability as it is will be scored.',
    'The capability as it is was scored.',
    'Candidate 0 scores 0 on the validation set, the best so far.',
  ]);
  expect(messages.at(-1)).toBe('The job is completed (max_metric_calls).');
});

test('getOptimizationArtifacts returns the files of the capability with the best texts', async () => {
  const { artifacts } = (await me.get(`${JOBS}/${first}/artifacts`)).body;
  expect(artifacts.promoted).toEqual([]);
  expect(artifacts.files).toEqual([
    {
      path: 'agents/helper.md',
      text: `---\nname: helper\ndescription: Answers questions\n---\n${ended.summary.best_candidate.instructions}\n`,
    },
  ]);
});

test('streamOptimizationEvents reports every decision once, and ends with the job', async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const reader = await openEvents(`http://127.0.0.1:${port}/api/v1${JOBS}/${first}/events`, server.owner.key);
  const types = () => reader.frames.flatMap(({ event }) => event ?? []);
  await expect.poll(types).toContain('optimization_end');
  reader.leave();
  const seed = ['candidate_accepted', 'valset_evaluated', 'budget_updated', 'pareto_front_updated'];
  const decided = types().filter((type) => type !== 'start');
  expect(decided.slice(0, 6)).toEqual(['optimization_start', ...seed, 'iteration_start']);
  expect(decided.filter((type) => type === 'candidate_accepted')).toHaveLength(
    ended.summary.metadata.candidate_count,
  );
  expect(decided.at(-1)).toBe('optimization_end');
  expect(reader.frames.at(-1)?.data).toEqual({
    status: 'completed',
    stop_reason: 'max_metric_calls',
    best_index: ended.summary.metadata.best_index,
  });
});
