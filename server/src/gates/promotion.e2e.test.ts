/** A finding leads to a released version: a regression task, an optimization for safety and skill, and the gate that a release needs. */
import { describe, expect, test } from 'vitest';
import { AIRT } from '../../test/airt-world.ts';
import { ATTACKS, GATES, startGateWorld } from '../../test/gate-world.ts';
import { JOBS, optimizationTools } from '../../test/optimization-world.ts';

const world = await startGateWorld();
const { me, airt } = world;
const { jobEnded, listCandidates } = optimizationTools(me);

const names = ['word-1', 'word-2', 'word-3', 'word-4'];
for (const [index, name] of names.entries())
  await world.publishTask(name, '', {
    manifest: { instruction: `Reverse the word "sto${index}ne".` },
    files: {
      'verify.sh': `[ "$(cat "$DRYDOCK_ANSWER_FILE")" = EN${index}OTS ] || { echo "Expected output: EN${index}OTS"; exit 1; }`,
    },
  });

const target_config = { kind: 'agent', capability: { name: 'keeper', version: '1.0.0' }, agent: 'clerk' };
const { id: assessmentId } = await airt.run({
  target_model: 'sim/instructed',
  target_config,
  attack_manifest: ATTACKS,
});
const [finding] = await airt.listFindings(assessmentId);
await me.patch(`${AIRT}/findings/${finding.id}`, { severity: 'critical', notes: 'It tells the secret.' });
const { body: regression } = await me.post(`${AIRT}/findings/${finding.id}/regression-task`, {
  task_set: 'release',
});
await me.put('/org/main/task-sets/release', { members: [...names, regression.task_name] });

const request = {
  target_kind: 'capability_env',
  model: 'sim/instructed',
  capability_ref: { name: 'keeper', version: '1.0.0' },
  agent_name: 'clerk',
  task_set: 'release',
  reward_recipe: { name: 'row_reward_v1' },
  config: {
    reflection_lm: 'sim/reflector',
    max_metric_calls: 35,
    reflection_minibatch_size: 5,
    parallel_rows: 5,
    frontier_type: 'hybrid',
    // The weaknesses of the model depend on the seed of a sample, so the attack succeeds in the order of this seed.
    seed: 0,
  },
};

describe('createOptimizationJob with a task set', () => {
  test('improves safety and skill together, with an objective for each', async () => {
    const created = await me.post(JOBS, request);
    expect(created).toMatchObject({ status: 201, body: { task_set: 'release' } });
    const job = await jobEnded(created.body.id);
    expect(job).toMatchObject({ status: 'completed', task_refs: expect.arrayContaining(['word-1@1.0.0']) });
    expect(job.summary.best_scores).toMatchObject({ safety: 1, skill: 1 });
    const [seed] = await listCandidates(job.id);
    expect(seed.objectives).toMatchObject({ skill: 0 });

    await world.createGate({
      name: 'release',
      rules: [{ kind: 'pass_rate', task_set: 'release', bound: 1, margin: 0.5 }],
      protects: ['keeper'],
    });
    const refused = await me.post(`${JOBS}/${job.id}/promote`, { version: '2.0.0' });
    expect(refused).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect(refused.body.detail).toMatch(/needs to pass the gate "release" first\. .*2\.0\.0-rc\.1/);
    expect(await me.post(`${JOBS}/${job.id}/promote`, { version: '2.0.0-rc.1' })).toMatchObject({
      status: 201,
    });
    expect((await me.post(`${JOBS}/${job.id}/promote`, { version: '2.0.0' })).status).toBe(409);
    const { id: checkId, verdict } = await world.check('release', {
      capability: 'keeper',
      version: '2.0.0-rc.1',
    });
    expect(verdict).toBe('passed');
    // A check with other rules than the gate has now does not count.
    const { body: gate } = await me.get(`${GATES}/release`);
    const stricter = { ...gate, rules: [{ ...gate.rules[0], margin: 0.4 }] };
    expect((await me.put(`${GATES}/release`, stricter)).status).toBe(200);
    expect((await me.post(`${JOBS}/${job.id}/promote`, { version: '2.0.0' })).status).toBe(409);
    expect((await me.put(`${GATES}/release`, gate)).status).toBe(200);
    expect(await me.post(`${JOBS}/${job.id}/promote`, { version: '2.0.0' })).toMatchObject({ status: 201 });

    const { nodes } = (
      await me.get('/org/main/lineage?kind=capability&name=keeper&version=2.0.0&direction=up&limit=500')
    ).body;
    const idsOf = (kind: string) =>
      nodes.filter((node: { kind: string }) => node.kind === kind).map(({ id }: { id: string }) => id);
    expect(idsOf('gate_check')).toEqual([checkId]);
    expect(idsOf('finding')).toEqual([finding.id]);
    expect(idsOf('review')).toHaveLength(1);
    expect(idsOf('optimization_job')).toEqual([job.id]);
    const tasks = nodes.filter((node: { kind: string }) => node.kind === 'task');
    expect(new Set(tasks.map(({ name }: { name: string }) => name))).toEqual(
      new Set([...names, regression.task_name]),
    );

    // What it was optimized on cannot measure it.
    const evaluation = await world.evaluate({
      model: 'sim/instructed',
      agent: 'clerk',
      capability: { name: 'keeper', version: '2.0.0' },
      task_names: ['word-1'],
    });
    const [item] = await world.listItems(evaluation);
    expect(item).toMatchObject({
      contaminated: true,
      contaminated_by: { kind: 'optimization_job', id: job.id },
    });
  });

  test.each([
    ['a set that does not exist', { task_set: 'nowhere' }, ['task_set']],
    ['a set beside tasks', { task_refs: ['word-1'] }, ['task_refs']],
    [
      'single calls',
      { target_kind: 'capability_agent', dataset_ref: { name: 'x', version: '1.0.0' } },
      ['task_set'],
    ],
  ])('returns 422 for %s', async (_, change, loc) => {
    const { status, body } = await me.post(JOBS, { ...request, ...change });
    expect({ status, loc: body.errors?.[0]?.loc }).toEqual({ status: 422, loc: ['body', ...loc] });
  });

  test('promote returns 404 for a gate that does not exist', async () => {
    const { body } = await me.get(`${JOBS}?page_size=1`);
    const promoted = await me.post(`${JOBS}/${body.items[0].id}/promote`, {
      version: '3.0.0-rc.1',
      gate: 'nowhere',
    });
    expect(promoted).toMatchObject({ status: 404 });
  });
});
