import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { AIRT, startAirtWorld } from '../../../test/airt-world.ts';
import { takeInLateSpans } from './materialize.ts';

const world = await startAirtWorld();
const { me, server } = world;

type Json = string | number | boolean | readonly Json[];
type Attributes = Readonly<Record<string, Json>>;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Attributes;
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

function toValue(value: Json): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(toValue) } };
}

async function send(spans: readonly Span[], client = me, org = 'main') {
  const sent = spans.map(({ attributes, ...span }, index) => ({
    ...span,
    startTimeUnixNano: String(1_790_000_000_000_000_000n + BigInt(index) * 1_000_000n),
    endTimeUnixNano: String(1_790_000_000_500_000_000n + BigInt(index) * 1_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) })),
  }));
  const { status, body } = await client.post(`/org/${org}/otel/traces`, {
    resourceSpans: [{ scopeSpans: [{ spans: sent }] }],
  });
  expect({ status, body }).toMatchObject({ status: 200 });
}

/** Names with the prefix of the client. */
const prefixed = (fields: Attributes): Attributes =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`dreadnode.airt.${name}`, value]));

interface Run {
  readonly finding: Readonly<Record<string, unknown>>;
  readonly trials: readonly Readonly<Record<string, unknown>>[];
}

/** The spans with which a client would report the same run. */
function toSpans(
  run: Run,
  assessmentId: string,
  form: (fields: Attributes) => Attributes = prefixed,
): Span[] {
  const traceId = hex(16);
  const study = hex(8);
  const { finding, trials } = run;
  const common = {
    assessment_id: assessmentId,
    attack_name: String(finding['attack_name']),
    goal: String(finding['goal']),
    goal_category: String(finding['goal_category']),
    target_model: String(finding['target_model']),
    attacker_model: String(finding['attacker_model']),
    evaluator_model: String(finding['evaluator_model']),
  };
  const transforms = finding['transforms_applied'] as string[];
  const ofStudy = {
    ...common,
    transforms,
    jailbreak_threshold: 0.5,
    execution_time_s: Number(finding['execution_time_s']),
  };
  return [
    {
      traceId,
      spanId: study,
      name: 'study:x',
      attributes: { 'dreadnode.type': 'study', ...form(ofStudy) },
    },
    ...trials.map((trial) => ({
      traceId,
      spanId: hex(8),
      parentSpanId: study,
      name: 'trial:x',
      attributes: {
        'dreadnode.type': 'trial',
        ...form({
          ...common,
          trial_index: Number(trial['trial_index']),
          trial_status: String(trial['trial_status']),
          best_score: Number(trial['score']),
          candidate: String(trial['candidate']),
          transformed_prompt: String(trial['transformed_prompt']),
          response: String(trial['response']),
          judge_reasoning: String(trial['judge_reasoning']),
          is_jailbreak: trial['is_jailbreak'] ? '1' : '0',
          transforms: trial['transforms_applied'] as string[],
        }),
      },
    })),
  ];
}

const runs: Run[] = [];
let figures: object = {};

beforeAll(async () => {
  const { id, overall_asr, risk_score } = await world.run({
    attack_manifest: ['baseline', 'skeleton_key', 'pair', 'crescendo'].map((attack) => ({
      attack,
      goal_category: 'credential_leak',
      trials: 6,
      transforms: attack === 'pair' ? ['base64'] : [],
    })),
  });
  figures = { overall_asr, risk_score };
  const trials = await world.listTrials(id);
  for (const listed of await world.listFindings(id)) {
    const finding = await world.getFinding(listed.id);
    runs.push({
      finding,
      trials: trials.filter(({ finding_id }: { finding_id: string }) => finding_id === finding.id),
    });
  }
});

const OWN_FIELDS = new Set([
  'id',
  'assessment_id',
  'assessment_name',
  'created_at',
  'updated_at',
  'completed_at',
  'trace_id',
  'span_id',
  'cost_usd',
]);

/** What a finding says, without ids, times and costs. */
function contentOf(finding: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const content = Object.fromEntries(Object.entries(finding).filter(([name]) => !OWN_FIELDS.has(name)));
  const trials = finding['top_trials'] as Record<string, unknown>[];
  const own = new Set(['span_id', 'execution_time_s']);
  content['top_trials'] = trials.map((trial) =>
    Object.fromEntries(Object.entries(trial).filter(([name]) => !own.has(name))),
  );
  return content;
}

/** Contents in an order of their own, whatever the order of the findings is. */
const byContent = (findings: readonly Readonly<Record<string, unknown>>[]) => {
  const keyOf = (finding: Readonly<Record<string, unknown>>) =>
    JSON.stringify([finding['attack_name'], finding['goal']]);
  return findings.map(contentOf).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
};

async function report(make: (assessmentId: string) => Promise<void>) {
  const id = await world.create({ name: 'reported', attack_manifest: undefined });
  await me.patch(`${AIRT}/assessments/${id}`, { status: 'running' });
  await make(id);
  const done = await me.patch(`${AIRT}/assessments/${id}`, { status: 'completed' });
  expect(done.status).toBe(200);
  return { id, assessment: done.body, findings: await read(id) };
}

async function read(id: string) {
  const listed = await world.listFindings(id);
  return Promise.all(listed.map((finding: { id: string }) => world.getFinding(finding.id)));
}

const shuffled = <T>(list: readonly T[]) =>
  list
    .map((item) => ({ item, key: hex(4) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);

describe('findings from spans', () => {
  test('equal those of the server for the same run', async () => {
    const { assessment, findings } = await report(async (id) => {
      for (const run of runs) await send(toSpans(run, id));
    });
    expect(assessment).toMatchObject({ ...figures, status: 'completed', run_by: 'client' });
    expect(findings.map(contentOf)).toEqual(
      expect.arrayContaining(runs.map(({ finding }) => contentOf(finding))),
    );
    expect(byContent(findings)).toEqual(byContent(runs.map(({ finding }) => finding)));
  });

  test('are the same in any order, in pieces, and repeated', async () => {
    const { findings } = await report(async (id) => {
      const spans = shuffled(runs.flatMap((run) => toSpans(run, id)));
      for (let start = 0; start < spans.length; start += 7) await send(spans.slice(start, start + 7));
      await send(spans.slice(0, 20));
    });
    expect(byContent(findings)).toEqual(byContent(runs.map(({ finding }) => finding)));
  });

  test('are the same without the prefix, and with JSON strings', async () => {
    const plain = await report(async (id) => {
      for (const run of runs) await send(toSpans(run, id, (fields) => fields));
    });
    expect(byContent(plain.findings)).toEqual(byContent(runs.map(({ finding }) => finding)));
    const asText = (fields: Attributes) =>
      prefixed(
        Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        ),
      );
    const text = await report(async (id) => {
      for (const run of runs) await send(toSpans(run, id, asText));
    });
    expect(byContent(text.findings)).toEqual(byContent(runs.map(({ finding }) => finding)));
  });

  test('keep their triage when spans come late', async () => {
    const [first, ...others] = runs;
    const late: Span[] = [];
    const { id, findings } = await report(async (assessmentId) => {
      for (const run of others) await send(toSpans(run, assessmentId));
      const [study, ...trials] = toSpans(first as Run, assessmentId);
      await send(trials.slice(0, 1));
      late.push(study as Span, ...trials.slice(1));
    });
    expect(findings).toHaveLength(runs.length);
    const partial = findings.find(
      ({ goal, attack_name }) =>
        goal === first?.finding['goal'] && attack_name === first?.finding['attack_name'],
    );
    await me.patch(`${AIRT}/findings/${partial.id}`, { finding_status: 'accepted_risk', severity: 'low' });
    await send(shuffled(late));
    await takeInLateSpans(server.db);
    const after = await read(id);
    expect(after).toHaveLength(runs.length);
    const whole = after.find((finding) => finding.id === partial.id);
    expect(whole).toMatchObject({
      finding_status: 'accepted_risk',
      severity: 'low',
      total_trials: first?.finding['total_trials'],
      success: first?.finding['success'],
    });
    const { overall_asr, risk_score } = await world.getAssessment(id);
    expect({ overall_asr, risk_score }).toEqual(figures);
  });

  test('change no more when spans come later than ten minutes after the end', async () => {
    const [run, other] = runs as [Run, Run];
    const { id, assessment } = await report(async (assessmentId) => send(toSpans(run, assessmentId)));
    await sql`
      UPDATE airt_assessments SET completed_at = completed_at - interval '11 minutes'
       WHERE organization_id = ${assessment.organization_id} AND id = ${id}`.execute(server.db);
    await sql`
      UPDATE spans SET received_at = received_at - interval '11 minutes'
       WHERE organization_id = ${assessment.organization_id} AND assessment_id = ${id}`.execute(server.db);
    await send(toSpans(other, id));
    await takeInLateSpans(server.db);
    expect(await read(id)).toHaveLength(1);
  });

  test('leave out spans of another tenant, of another assessment, and pending and pruned ones', async () => {
    const stranger = await server.addPerson('airt-stranger');
    const they = server.as(stranger);
    await they.post('/user/onboarding', { username: 'airt-stranger', org_name: 'Strangers' });
    const { findings } = await report(async (id) => {
      const [run] = runs as [Run];
      await send(toSpans(run, id));
      await send(toSpans(run, randomUUID()));
      const pending = { 'logfire.span_type': 'pending_span' };
      for (const span of toSpans(run, id))
        await send([{ ...span, attributes: { ...span.attributes, ...pending } }]);
      await send(toSpans(run, id), they, 'strangers');
      const [study, trial] = toSpans(run, id) as [Span, Span];
      const pruned = { 'dreadnode.airt.trial_status': 'pruned', 'dreadnode.airt.best_score': 1 };
      await send([study, { ...trial, attributes: { ...trial.attributes, ...pruned } }]);
    });
    expect(findings).toHaveLength(2);
    const ofPruned = findings.find(({ finished_trials }) => finished_trials === 0);
    expect(ofPruned).toMatchObject({
      total_trials: 1,
      finding_type: 'robust',
      is_jailbreak: false,
      best_score: null,
    });
  });

  test('take an unknown category for jailbreak_general, and keep what only clients know', async () => {
    const { findings } = await report(async (id) => {
      const [run] = runs as [Run];
      const spans = toSpans({ ...run, finding: { ...run.finding, goal_category: 'invented' } }, id);
      const more = { 'dreadnode.airt.sub_category': 'sub', 'dreadnode.airt.distance_value': 0.25 };
      for (const span of spans) await send([{ ...span, attributes: { ...span.attributes, ...more } }]);
    });
    expect(findings).toMatchObject([
      { goal_category: 'invented', sub_category: 'sub', distance_value: 0.25 },
    ]);
    const list = await me.get(`${AIRT}/assessments/${findings[0].assessment_id}/traces/attacks`);
    expect(list.body).toMatchObject([{ sub_category: 'sub', trace_id: findings[0].trace_id }]);
    const trials = await me.get(`${AIRT}/assessments/${findings[0].assessment_id}/traces/trials?limit=1`);
    expect(trials.body).toHaveLength(1);
  });

  test('keep what people decided when late spans change the run, and open nothing for old successes', async () => {
    const run = runs.find(({ finding }) => finding['is_jailbreak']) as Run;
    const other = await report(async (id) => send(toSpans(run, id)));
    const late: Span[] = [];
    const { id, findings } = await report(async (assessmentId) => {
      const spans = toSpans(run, assessmentId);
      await send(spans);
      const [study, trial] = spans as [Span, Span];
      const more = { 'dreadnode.airt.trial_index': 90, 'dreadnode.airt.best_score': 0 };
      late.push({
        ...trial,
        spanId: hex(8),
        parentSpanId: study.spanId,
        attributes: { ...trial.attributes, ...more },
      });
    });
    const [finding] = findings;
    await me.patch(`${AIRT}/findings/${finding.id}`, { severity: finding.severity, finding_type: 'evasion' });
    await me.patch(`${AIRT}/findings/${other.findings[0].id}`, { finding_status: 'remediated' });
    await send(late);
    await takeInLateSpans(server.db);
    const [after] = await read(id);
    expect(after).toMatchObject({
      severity: finding.severity,
      finding_type: 'evasion',
      total_trials: Number(finding.total_trials) + 1,
    });
    expect((await world.getFinding(other.findings[0].id)).finding_status).toBe('remediated');
  });

  test('bound absurd numbers and names', async () => {
    const [run] = runs as [Run];
    const absurd = {
      'dreadnode.airt.trial_index': 3_000_000_000,
      'dreadnode.airt.best_score': 7,
      'dreadnode.airt.jailbreak_threshold': -1,
      'dreadnode.airt.execution_time_s': -5,
      'dreadnode.airt.attack_name': hex(500),
    };
    const { findings } = await report(async (id) => {
      for (const span of toSpans(run, id))
        await send([{ ...span, attributes: { ...span.attributes, ...absurd } }]);
    });
    expect(findings).toMatchObject([{ best_score: 1, total_trials: run.trials.length }]);
    expect(findings[0].attack_name).toHaveLength(255);
    expect(findings[0].execution_time_s).toBeGreaterThanOrEqual(0);
    const remediated = await me.patch(`${AIRT}/findings/${findings[0].id}`, { finding_status: 'remediated' });
    expect(remediated.status).toBe(200);
  });

  test('can be tried again whatever their attack is, and open again when the retest succeeds', async () => {
    const run = runs.find(
      ({ finding }) => finding['attack_name'] === 'skeleton_key' && finding['is_jailbreak'],
    ) as Run;
    const reported = {
      ...run.finding,
      attack_name: 'my_attack',
      goal: ` ${String(run.finding['goal'])} `,
      goal_category: 'mine',
    };
    const { findings } = await report(async (id) => send(toSpans({ ...run, finding: reported }, id)));
    const [{ id }] = findings;
    await me.patch(`${AIRT}/findings/${id}`, { finding_status: 'remediated' });
    const request = { target_model: 'sim/guarded', target_config: { model: 'sim/guarded' } };
    const { status, body } = await me.post(`${AIRT}/findings/${id}/retest`, request);
    expect({ status, body }).toMatchObject({ status: 201 });
    const { overall_asr } = await world.ended(body.id);
    expect(overall_asr).toBeGreaterThan(0);
    expect((await world.getFinding(id)).finding_status).toBe('open');
  });

  test('are absent for a client that reports nothing', async () => {
    const { assessment, findings } = await report(async () => {});
    expect(findings).toEqual([]);
    expect(assessment).toMatchObject({ overall_asr: null, risk_score: 0 });
  });
});
