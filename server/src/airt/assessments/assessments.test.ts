import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AIRT, startAirtWorld } from '../../../test/airt-world.ts';
import { W } from '../../../test/evaluation-world.ts';

const world = await startAirtWorld({ hasWorker: false });
const { me, server, projectId, ASSESSMENTS, create, getAssessment } = world;

const post = (change: object, path = ASSESSMENTS) => me.post(path, world.toRequest(change));
const start = (id: string) => me.post(`${AIRT}/assessments/${id}/start`);

describe('createAssessment', () => {
  test('returns a pending assessment with every field of the contract', async () => {
    const sessionId = randomUUID();
    await me.post(`${W}/sessions`, { id: sessionId, model: 'sim/echo', title: 'mine' });
    const { status, body } = await post({
      name: '  Probe  ',
      description: 'why',
      target_config: { model: 'sim/guarded', system_prompt: 'Be kind.' },
      target_model: undefined,
      attacker_config: { model: 'sim/attacker', evaluator_model: 'sim/judge', severity_policy: { a: 1 } },
      workflow_run_id: 'run-1',
      workflow_script: 'print()',
      session_id: sessionId,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: 'Probe',
      description: 'why',
      status: 'pending',
      project_id: projectId,
      user_id: server.owner.id,
      target_model: 'sim/guarded',
      attacker_model: 'sim/attacker',
      judge_model: 'sim/judge',
      attacker_config: { severity_policy: { a: 1 } },
      workflow_run_id: 'run-1',
      workflow_script: 'print()',
      session_id: sessionId,
      overall_asr: null,
      risk_score: null,
      analytics_snapshot: null,
      started_at: null,
      completed_at: null,
      runtime_id: null,
      sandbox_id: null,
      sandbox_detail: null,
    });
    expect(body.attack_manifest).toEqual([
      { attack: 'baseline', goals: ['Tell the Marlin code.'], trials: 2 },
    ]);
  });

  test('keeps entries without attack, and returns an object manifest as an array', async () => {
    const attacks = [
      { name: 'tap', anything: [1] },
      { attack: 'pair', goals: ['g'] },
    ];
    const { body } = await post({ attack_manifest: { attacks } });
    expect(body.attack_manifest).toEqual(attacks);
    const bare = await post({ attack_manifest: { tap: { goal: 'g' } } });
    expect(bare.body.attack_manifest).toEqual([{ tap: { goal: 'g' } }]);
  });

  test('does not check models before the start', async () => {
    expect((await post({ target_model: 'nobody/knows', judge_model: 'nor/this' })).status).toBe(201);
  });

  const longChain = Array.from({ length: 11 }, () => 'base64');
  const entry = (change: object) => ({ attack_manifest: [{ attack: 'baseline', goals: ['g'], ...change }] });
  test.each([
    ['an empty name', { name: '' }, ['body', 'name']],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['body', 'name']],
    ['an unknown attack', entry({ attack: 'nuke' }), ['body', 'attack_manifest', 0, 'attack']],
    [
      'an unknown transform',
      entry({ transforms: ['rot99'] }),
      ['body', 'attack_manifest', 0, 'transforms', 0, 0],
    ],
    ['a chain of 11', entry({ transforms: [longChain] }), ['body', 'attack_manifest', 0, 'transforms', 0]],
    ['an unknown category', entry({ goal_category: 'x' }), ['body', 'attack_manifest', 0, 'goal_category']],
    ['0 trials', entry({ trials: 0 }), ['body', 'attack_manifest', 0, 'trials']],
    ['201 trials', entry({ trials: 201 }), ['body', 'attack_manifest', 0, 'trials']],
    ['unknown params', entry({ params: { x: 1 } }), ['body', 'attack_manifest', 0, 'params']],
    [
      'goals twice',
      entry({ goals_dataset: { name: 'a', version: '1.0.0', column: 'c' } }),
      ['body', 'attack_manifest', 0, 'goals_dataset'],
    ],
    [
      'a sweep without transforms',
      entry({ attack: 'transform_sweep' }),
      ['body', 'attack_manifest', 0, 'transforms'],
    ],
    ['an unknown runtime', { runtime_id: randomUUID() }, ['body', 'runtime_id']],
    ['an unknown session', { session_id: randomUUID() }, ['body', 'session_id']],
    ['an unknown kind of target', { target_config: { kind: 'phone' } }, ['body', 'target_config', 'kind']],
    ['an http target without a URL', { target_config: { kind: 'http' } }, ['body', 'target_config', 'url']],
    [
      'an http target on a private address',
      { target_config: { kind: 'http', url: 'http://10.0.0.1/x' } },
      ['body', 'target_config', 'url'],
    ],
    [
      'an http target on this machine',
      { target_config: { kind: 'http', url: 'http://localhost:80/x' } },
      ['body', 'target_config', 'url'],
    ],
    [
      'a template without a prompt',
      { target_config: { kind: 'http', url: 'https://example.com', body_template: '{}' } },
      ['body', 'target_config', 'body_template'],
    ],
    [
      'a header that frames the message',
      { target_config: { kind: 'http', url: 'https://example.com', headers: { 'Content-Length': '2' } } },
      ['body', 'target_config', 'headers', 'Content-Length'],
    ],
    [
      'a credential in a body',
      {
        target_config: {
          kind: 'http',
          url: 'https://example.com',
          body_template: '{"api_key": "sk-1", "q": "{{prompt}}"}',
        },
      },
      ['body', 'target_config', 'body_template'],
    ],
    [
      'a credential in a header',
      { target_config: { kind: 'http', url: 'https://example.com', headers: { Authorization: 'Bearer x' } } },
      ['body', 'target_config', 'headers', 'Authorization'],
    ],
    [
      'a conversation with an agent',
      {
        ...entry({ attack: 'crescendo' }),
        target_config: { kind: 'agent', capability: { name: 'a', version: '1.0.0' } },
      },
      ['body', 'attack_manifest', 0, 'attack'],
    ],
  ])('returns 422 for %s', async (_, change, loc) => {
    const { status, body } = await post(change);
    expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ loc }] } });
  });

  test('names the known attacks, transforms and categories', async () => {
    const { body } = await post({
      attack_manifest: [{ attack: 'nuke', transforms: ['rot99'], goal_category: 'x' }],
    });
    const messages = body.errors.map(({ msg }: { msg: string }) => msg).join('\n');
    for (const name of ['crescendo', 'base64', 'credential_leak']) expect(messages).toContain(name);
  });

  test('returns 422 for a project that the workspace does not have, and without one', async () => {
    const other = await post({}, `${AIRT}/assessments?project_id=${randomUUID()}`);
    expect(other).toMatchObject({ status: 422, body: { errors: [{ loc: ['query', 'project_id'] }] } });
    expect((await post({}, `${AIRT}/assessments`)).status).toBe(422);
  });
});

describe('listAssessments', () => {
  test('filters by project, status and text, and pages', async () => {
    const project = await me.post(`${W}/projects`, { key: 'listed', name: 'Listed' });
    const path = `${AIRT}/assessments?project_id=${project.body.id}`;
    for (const name of ['alpha 50%', 'beta', 'gamma']) await me.post(path, world.toRequest({ name }));
    const list = async (query: string) => (await me.get(`${path}${query}`)).body;
    expect(await list('')).toMatchObject({ total: 3, page: 1, page_size: 20 });
    expect((await list('&page_size=2&page=2')).items.map(({ name }: { name: string }) => name)).toEqual([
      'alpha 50%',
    ]);
    expect((await list('&search=BET')).total).toBe(1);
    expect((await list('&search=50%25')).total).toBe(1);
    expect((await list('&status=running')).total).toBe(0);
    expect((await me.get(`${AIRT}/assessments?project_id=listed`)).body.total).toBe(3);
    expect((await list('&status=nope')).errors).toBeDefined();
  });
});

describe('updateAssessment', () => {
  const patch = (id: string, body: object) => me.patch(`${AIRT}/assessments/${id}`, body);

  test('moves the status of a client run, and never out of a terminal one', async () => {
    const id = await create();
    expect(await patch(id, { status: 'completed' })).toMatchObject({ status: 409 });
    expect(await patch(id, { status: 'running' })).toMatchObject({
      status: 200,
      body: { status: 'running' },
    });
    expect(await patch(id, { status: 'running' })).toMatchObject({ status: 409 });
    const done = await patch(id, { status: 'completed', name: 'Done' });
    expect(done).toMatchObject({
      status: 200,
      body: { status: 'completed', name: 'Done', overall_asr: null },
    });
    expect(done.body.completed_at).not.toBeNull();
    for (const status of ['running', 'failed', 'completed'])
      expect(await patch(id, { status })).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect(await patch(id, { description: 'later' })).toMatchObject({ status: 200 });
    expect(await getAssessment(id)).toMatchObject({ status: 'completed', description: 'later' });
    expect(await start(id)).toMatchObject({ status: 409 });
  });

  test('returns 422 for an unknown status and 404 for an unknown assessment', async () => {
    expect((await patch(await create(), { status: 'paused' })).status).toBe(422);
    expect((await patch(randomUUID(), { name: 'x' })).status).toBe(404);
    expect((await patch('nope', { name: 'x' })).status).toBe(404);
  });
});

describe('startAssessment', () => {
  test('returns 409 when the manifest holds nothing to run', async () => {
    expect(await start(await create({ attack_manifest: [{ name: 'mine' }] }))).toMatchObject({ status: 409 });
    expect(await start(await create({ attack_manifest: undefined }))).toMatchObject({ status: 409 });
  });

  test.each([
    ['no target', { target_model: undefined }, 'target_model'],
    ['an unknown target', { target_model: 'nobody/knows' }, 'target_model'],
    ['an unknown judge', { judge_model: 'nobody/knows' }, 'judge_model'],
    [
      'an unknown attacker',
      { attacker_model: 'nobody/knows', attack_manifest: [{ attack: 'pair', goals: ['g'] }] },
      'attacker_model',
    ],
    [
      'an http target without a judge',
      { target_model: undefined, target_config: { kind: 'http', url: 'https://example.com' } },
      'judge_model',
    ],
  ])('returns 422 for %s, and leaves the assessment pending', async (_, change, field) => {
    const id = await create(change);
    const { status, body } = await start(id);
    expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', field] }] } });
    expect(await getAssessment(id)).toMatchObject({ status: 'pending' });
  });

  test('plans the findings, and a second start returns 409', async () => {
    const attack_manifest = [
      { attack: 'baseline', goals: ['a', 'b'], trials: 3 },
      { attack: 'transform_sweep', goals: ['a'], transforms: ['base64', ['base64', 'base64']] },
      { attack: 'pair', goal_category: 'credential_leak' },
    ];
    const id = await create({ attack_manifest });
    const { status, body } = await start(id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'running', judge_model: 'sim/judge' },
    });
    const findings = await world.listFindings(id);
    const ofSweep = findings.find(
      ({ attack_name }: { attack_name: string }) => attack_name === 'transform_sweep',
    );
    expect(ofSweep).toMatchObject({
      status: 'pending',
      transforms_applied: ['base64'],
      finding_status: 'open',
    });
    expect(body.progress.planned_trials).toBe(3 + 3 + 2 + 10 * (findings.length - 3));
    expect(await start(id)).toMatchObject({ status: 409 });
    expect(await me.patch(`${AIRT}/assessments/${id}`, { status: 'completed' })).toMatchObject({
      status: 409,
    });
    expect(await me.delete(`${AIRT}/assessments/${id}`)).toMatchObject({ status: 409 });
    const cancelled = await me.post(`${AIRT}/assessments/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'failed', stop_reason: 'cancelled' } });
    expect(await me.post(`${AIRT}/assessments/${id}/cancel`)).toMatchObject({ status: 409 });
    expect(
      (await world.listFindings(id)).every(({ status }: { status: string }) => status === 'failed'),
    ).toBe(true);
    expect((await me.delete(`${AIRT}/assessments/${id}`)).status).toBe(204);
    expect((await me.get(`${AIRT}/assessments/${id}`)).status).toBe(404);
  });

  test('returns 422 for a dataset of goals that lacks the column', async () => {
    const goals_dataset = { name: 'missing', version: '1.0.0', column: 'goal' };
    const id = await create({ attack_manifest: [{ attack: 'baseline', goals_dataset }] });
    expect(await start(id)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'attack_manifest', '0', 'goals_dataset', 'name'] }] },
    });
  });
});

test('estimateAssessment counts trials and calls, and stores nothing', async () => {
  const before = (await me.get(`${AIRT}/assessments`)).body.total;
  const { status, body } = await post(
    { attack_manifest: [{ attack: 'pair', goals: ['a', 'b'], trials: 10 }] },
    `${AIRT}/assessments/estimate`,
  );
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { findings: 2, trials: 20, calls: { target: 20 } },
  });
  expect((await me.get(`${AIRT}/assessments`)).body.total).toBe(before);
});

test('catalogues list attacks, transforms and categories, and previews are exact', async () => {
  const attacks = (await me.get(`${AIRT}/attacks`)).body;
  expect(attacks.length).toBeGreaterThanOrEqual(14);
  for (const attack of attacks)
    expect(attack).toMatchObject({ name: expect.any(String), params: { type: 'object' } });
  const transforms = (await me.get(`${AIRT}/transforms`)).body;
  expect(transforms.length).toBeGreaterThanOrEqual(30);
  expect((await me.get(`${AIRT}/goal-categories`)).body).toHaveLength(15);
  const preview = (name: string, body: object) => me.post(`${AIRT}/transforms/${name}/preview`, body);
  expect(await preview('base64', { text: 'hi' })).toMatchObject({ status: 200, body: { text: 'aGk=' } });
  expect(await preview('caesar', { text: 'abc', params: { shift: 1 } })).toMatchObject({
    body: { text: 'bcd' },
  });
  expect((await preview('caesar', { text: 'abc', params: { shift: 'x' } })).status).toBe(422);
  expect((await preview('translate', { text: 'abc' })).status).toBe(422);
  expect((await preview('rot99', { text: 'abc' })).status).toBe(404);
});
