import { beforeAll, expect, test } from 'vitest';
import { sampleRows } from '../../../scripts/demo/sample-rows.ts';
import { publishCapability } from '../../test/capabilities.ts';
import { W } from '../../test/evaluation-world.ts';
import { ATTACKS, CANARY, startGateWorld } from '../../test/gate-world.ts';
import { JOBS, optimizationTools, publishRows } from '../../test/optimization-world.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';
import { until } from '../../test/processes.ts';
import { explainWork } from '../../test/query-plans.ts';
import { getJourney } from './journey.ts';

const world = await startGateWorld();
const { me, server, airt } = world;
const { create, jobEnded } = optimizationTools(me);
const journeyOf = async (name: string, query = '', place = W, client = me) =>
  client.get(`${place}/capabilities/${encodeURIComponent(name)}/journey${query}`);

let made: { jobId: string; evaluationId: string; assessmentId: string; findingId: string; checkId: string };

/** keeper 1.0.0 is attacked, 1.1.0 is evaluated and checked, and 1.2.0 is promoted from a job that improves 1.0.0. */
beforeAll(async () => {
  const { id: assessmentId } = await airt.run({
    target_model: 'sim/instructed',
    target_config: { kind: 'agent', capability: { name: 'keeper', version: '1.0.0' }, agent: 'clerk' },
    attack_manifest: [{ ...ATTACKS[0], params: { canary: CANARY, exhaustive: true } }],
  });
  const [{ id: findingId }] = await airt.listFindings(assessmentId);
  await world.publishTask('sum', '', {
    manifest: { instruction: 'What is 3 + 2?', verification: { method: 'exact', expected: '5' } },
  });
  await me.post('/org/main/task-sets', { name: 'sums', members: ['sum'] });
  const evaluationId = await world.evaluate({
    name: 'sums of 1.1.0',
    model: 'sim/instructed',
    task_set: 'sums',
    capability: { name: 'keeper', version: '1.1.0' },
    agent: 'clerk',
    repetitions: 2,
  });
  await until('the evaluation has ended', async () => (await world.get(evaluationId)).status === 'completed');
  await world.createGate({
    name: 'secrets',
    rules: [{ kind: 'asr', attack_manifest: ATTACKS, bound: 0, margin: 0.5 }],
  });
  const { id: checkId } = await world.check('secrets', { capability: 'keeper', version: '1.1.0' });
  await publishRows(me, 'questions', sampleRows(4));
  const jobId = await create({
    capability_ref: { name: 'keeper', version: '1.0.0' },
    agent_name: 'clerk',
    config: { max_metric_calls: undefined, max_trials: 1 },
  });
  await jobEnded(jobId);
  const promoted = await me.post(`${JOBS}/${jobId}/promote`, { version: '1.2.0', candidate: 0 });
  expect(promoted).toMatchObject({ status: 201 });
  made = { jobId, evaluationId, assessmentId, findingId, checkId };
});

test('getCapabilityJourney returns versions by publication with their origin, changes and proof', async () => {
  const { status, body } = await journeyOf('keeper');
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { capability: 'keeper', total: 3, page: 1, page_size: 20 },
  });
  const [promoted, strict, weak] = body.items;
  expect(promoted).toMatchObject({
    version: '1.2.0',
    made_by: {
      optimization_job_id: made.jobId,
      candidate: 0,
      from_version: '1.0.0',
      model: 'sim/instructed',
    },
    // The texts are those of 1.0.0, which it was made from; 1.1.0 has another prompt.
    changed_files: ['capability.yaml'],
    evaluations: [],
    checks: [],
  });
  expect(promoted.made_by.score).toBe(promoted.made_by.score_before);
  expect(strict).toMatchObject({
    version: '1.1.0',
    is_prerelease: false,
    description: 'keeper 1.1.0',
    made_by: null,
    changed_files: ['agents/clerk.md', 'capability.yaml'],
    changed_file_count: 2,
    evaluations: [
      {
        id: made.evaluationId,
        name: 'sums of 1.1.0',
        task_set: 'sums',
        pass_rate: 1,
        pass_rate_interval: { high: 1, level: 0.95 },
        n: 2,
        errors: 0,
        contaminated_count: 0,
      },
    ],
    assessments: [{ asr: 0, asr_interval: { low: 0 }, n: 4 }],
    checks: [{ id: made.checkId, gate: 'secrets', status: 'completed', verdict: 'passed' }],
    findings: { opened: 0, remediated: 0 },
  });
  expect(weak).toMatchObject({
    version: '1.0.0',
    changed_files: [],
    changed_file_count: 0,
    assessments: [{ id: made.assessmentId, name: 'probe', asr: expect.any(Number), n: 4 }],
    findings: { opened: 1, remediated: 0 },
  });
  expect(weak.assessments[0].asr).toBeGreaterThan(0);
});

test('getCapabilityJourney counts a finding as remediated when it is', async () => {
  const path = `${W}/airt/findings/${made.findingId}`;
  expect((await me.patch(path, { finding_status: 'remediated' })).status).toBe(200);
  const { items } = (await journeyOf('keeper', '?page=3&page_size=1')).body;
  expect(items).toMatchObject([{ version: '1.0.0', findings: { opened: 1, remediated: 1 } }]);
});

test('getCapabilityJourney compares the last version of a page with the one before it', async () => {
  const { body } = await journeyOf('keeper', '?page=2&page_size=1');
  expect(body).toMatchObject({
    total: 3,
    items: [{ version: '1.1.0', changed_files: ['agents/clerk.md', 'capability.yaml'] }],
  });
  expect((await journeyOf('keeper', '?page=4&page_size=1')).body.items).toEqual([]);
  expect((await journeyOf('keeper', '?page_size=51')).status).toBe(422);
});

test('getCapabilityJourney shows nothing of another workspace', async () => {
  expect(await me.post('/org/main/ws', { name: 'Second', key: 'second' })).toMatchObject({ status: 201 });
  const { body } = await journeyOf('keeper', '', '/org/main/ws/second');
  expect(body.total).toBe(3);
  for (const item of body.items)
    expect(item).toMatchObject({
      made_by: null,
      evaluations: [],
      assessments: [],
      checks: [],
      findings: { opened: 0, remediated: 0 },
    });
  for (const id of Object.values(made)) expect(JSON.stringify(body)).not.toContain(id);
});

test('getCapabilityJourney leaves out deleted versions and returns 404 without any', async () => {
  for (const version of ['1.0.0', '1.1.0-rc.1', '1.1.0'])
    await publishCapability(me, { name: 'brief', version, files: { 'agents/a.md': 'Same.' } });
  expect((await me.delete('/org/main/capabilities/brief/1.1.0-rc.1')).status).toBe(204);
  expect((await journeyOf('brief')).body).toMatchObject({
    total: 2,
    items: [{ version: '1.1.0', changed_files: ['capability.yaml'] }, { version: '1.0.0' }],
  });
  for (const version of ['1.0.0', '1.1.0'])
    expect((await me.delete(`/org/main/capabilities/brief/${version}`)).status).toBe(204);
  expect((await journeyOf('brief')).status).toBe(404);
  expect((await journeyOf('nobody')).status).toBe(404);
});

test('getCapabilityJourney shows a capability of another organization while it is public', async () => {
  const stranger = await server.addPerson('stranger');
  await addOrganization(server, stranger, 'other');
  const them = server.as(stranger);
  await publishCapability(them, { org: 'other', name: 'shared', files: { 'agents/a.md': 'Hello.' } });
  expect((await journeyOf('other/shared')).status).toBe(404);
  const visible = { is_public: true };
  expect((await them.patch('/org/other/capabilities/shared/visibility', visible)).status).toBe(200);
  expect((await journeyOf('other/shared')).body).toMatchObject({
    capability: 'other/shared',
    items: [{ version: '1.0.0', made_by: null }],
  });
});

test('getCapabilityJourney reads each table by an index', async () => {
  const { id: workspaceId } = (await me.get(W)).body;
  const organizationId = await findOrganizationId(server, 'main');
  const url = new URL(server.url);
  // Tables this small would be read whole.
  const settings = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'].map((name) => `-c ${name}=off`);
  url.searchParams.set('options', settings.join(' '));
  const scope = { organizationId, workspaceId, role: 'owner' } as const;
  const plans = await explainWork({ db: server.db, url: url.href }, (db) =>
    getJourney(db, scope, 'keeper', { page: 1, page_size: 20 }),
  );
  const text = plans.join('\n');
  for (const index of ['evaluations_capability', 'airt_assessments_capability', 'gate_checks_version'])
    expect(text).toContain(index);
  expect(text).not.toMatch(/Seq Scan on/);
});
