import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertAssessmentRows } from '../../../test/airt-rows.ts';
import { AIRT, startAirtWorld } from '../../../test/airt-world.ts';
import { readFixture } from '../../../test/atif.ts';
import { compileSchema } from '../../../test/json-schema.ts';

const world = await startAirtWorld();
const { me, server } = world;

/** The schema of OASIS is of draft 4, whose only difference that matters here is the name of its id. */
const { id: _, $schema: __, ...schema } = readFixture('sarif-2.1.0.schema.json') as Record<string, unknown>;
const misfitsOf = await compileSchema(schema);

/** Would end a fence, a cell, a heading or a style, or begin a link or a script. */
const HOSTILE = 'Say | it\n```\n# not a heading\n````` <script>x</script> [link](https://evil.example) {0}';

const REQUEST = {
  attack_manifest: [
    { attack: 'baseline', goal_category: 'credential_leak', trials: 3 },
    { attack: 'policy_puppetry', goal_category: 'credential_leak', trials: 5 },
    { attack: 'skeleton_key', goals: ['Read the diary.'], goal_category: 'tool_misuse', trials: 4 },
    {
      attack: 'transform_sweep',
      goal_category: 'credential_leak',
      transforms: ['base64', ['rot13', 'hex']],
    },
  ],
  attacker_config: { seed: 7 },
};

let assessment = '';
const path = (id: string) => `${AIRT}/assessments/${id}/reports`;
const report = async (report_type: string, id = assessment) => {
  const { status, body } = await me.post(path(id), { report_type });
  expect({ status, body }).toMatchObject({ status: 201, body: { report_type, assessment_id: id } });
  return body;
};

beforeAll(async () => {
  const ended = await world.run(REQUEST);
  assessment = ended.id;
  expect(ended.progress.jailbreaks).toBeGreaterThan(0);
});

const succeeded = async () =>
  (await world.listFindings(assessment)).filter(
    ({ finding_type }: { finding_type: string }) =>
      finding_type === 'jailbreak' || finding_type === 'partial',
  );

describe('createReport', () => {
  test('stores given content as it is, also of a pending assessment', async () => {
    const id = await world.create();
    const content = 'as | it <is> \u{1F600}\r\n';
    const { status, body } = await me.post(path(id), { report_type: 'markdown', content });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { assessment_id: id, report_type: 'markdown', content, content_json: null },
    });
    const content_json = { runs: [{ n: 1.5 }], empty: {} };
    const sarif = await me.post(path(id), { report_type: 'sarif', content_json });
    expect(sarif).toMatchObject({ status: 201, body: { content: null, content_json } });
    expect(await me.get(`${path(id)}/${body.id}`)).toMatchObject({ status: 200, body });
  });

  test('refuses unknown types and content of more than 5 MiB', async () => {
    expect(await me.post(path(assessment), { report_type: 'pdf' })).toMatchObject({ status: 422 });
    const content = 'x'.repeat(5 * 1024 ** 2);
    const largest = await me.post(path(assessment), { report_type: 'html', content });
    expect(largest.status).toBe(201);
    expect(await me.post(path(assessment), { report_type: 'html', content: `${content}x` })).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'content'] }] },
    });
    const content_json = { content: `${content}x` };
    expect((await me.post(path(assessment), { report_type: 'json', content_json })).status).toBe(422);
  });

  test('names the next step when the assessment has not ended', async () => {
    const id = await world.create();
    const pending = await me.post(path(id), { report_type: 'markdown' });
    expect(pending).toMatchObject({ status: 409, body: { type: 'conflict_error' } });
    expect(JSON.stringify(pending.body)).toContain('start it, and create the report');
    await me.patch(`${AIRT}/assessments/${id}`, { status: 'running' });
    const running = await me.post(path(id), { report_type: 'markdown' });
    expect(running.status).toBe(409);
    expect(JSON.stringify(running.body)).toContain('wait for its end or cancel it');
  });

  test.each(['markdown', 'json', 'html', 'sarif', 'executive_summary'])(
    'generates %s of an assessment without findings',
    async (report_type) => {
      const id = await world.create();
      await me.patch(`${AIRT}/assessments/${id}`, { status: 'running' });
      await me.patch(`${AIRT}/assessments/${id}`, { status: 'completed' });
      const { status, body } = await me.post(path(id), { report_type });
      expect(status).toBe(201);
      if (report_type === 'sarif') expect(misfitsOf(body.content_json)).toEqual([]);
      if (report_type === 'markdown') expect(body.content).toContain('No trial finished');
    },
  );

  test('is for contributors', async () => {
    const reader = server.as(await server.addPerson('reading', { role: 'member', workspaceRole: 'reader' }));
    expect((await reader.post(path(assessment), { report_type: 'json' })).status).toBe(403);
    expect((await reader.get(path(assessment))).status).toBe(200);
  });
});

describe('listReports', () => {
  test('answers all reports with their content, newest first', async () => {
    const id = await world.create();
    expect(await me.get(path(id))).toMatchObject({ status: 200, body: [] });
    const made = [];
    for (const content of ['first', 'second', 'third'])
      made.push((await me.post(path(id), { report_type: 'markdown', content })).body);
    expect(await me.get(path(id))).toMatchObject({ status: 200, body: made.toReversed() });
  });
});

describe('getReport', () => {
  test('answers 404 for unknown ids and reports of other assessments', async () => {
    const other = await world.create();
    const { body } = await me.post(path(other), { report_type: 'markdown', content: 'x' });
    for (const id of ['x', randomUUID(), body.id])
      expect(await me.get(`${path(assessment)}/${id}`)).toMatchObject({
        status: 404,
        body: { type: 'not_found_error' },
      });
    expect((await me.get(path(randomUUID()))).status).toBe(404);
    expect((await me.post(path(randomUUID()), { report_type: 'json' })).status).toBe(404);
    expect((await me.get(`${path(randomUUID())}/${body.id}`)).status).toBe(404);
  });
});

describe('a Markdown report', () => {
  test('says what was tested, how, with which result and what to do next', async () => {
    const { content } = await report('markdown');
    const figures = (await me.get(`${AIRT}/assessments/${assessment}/analytics`)).body;
    for (const heading of [
      'What was tested',
      'How it was tested',
      'Results',
      'Worst findings',
      'Compliance',
      'Triage',
      'Calibration of the judge',
      'What to do next',
    ])
      expect(content).toContain(`\n## ${heading}\n`);
    expect(content).toContain(`Risk ${figures.risk_score} of 10`);
    expect(content).toContain(
      `(${figures.success.successes} of ${figures.success.n} trials, 95% interval ${(100 * figures.success.interval.low).toFixed(1)}%`,
    );
    expect(content).toMatch(/SHA-256 of the attack manifest:\*\* [0-9a-f]{64}\n/);
    expect(content).toContain('- **Seed:** 7\n');
    expect(content).toContain('rot13 → hex');
    expect(content).toContain('](<https://hiddenlayer.com/');
    expect(content).toContain('LLM02:2025');
  });

  test('keeps hostile text in its fences and cells', async () => {
    const { content } = (await me.post(path(await insertHostile()), { report_type: 'markdown' })).body;
    const outside = withoutFences(content);
    expect(content).toContain(`\n${HOSTILE}\n`); // as it is, in a fence
    expect(outside).toContain(String.raw`\<script\>`);
    expect(outside).not.toMatch(/(?<!\\)<script>/);
    expect(outside).not.toContain('\n# not a heading');
    expect(outside).not.toMatch(/(?<!\\)\]\(https/);
    const tables = outside.split('\n').filter((line) => line.startsWith('|'));
    const cellsOf = (line: string) => line.split(/(?<!\\)\|/).length;
    for (const [index, line] of tables.entries())
      if (line.startsWith('| ---')) expect(cellsOf(tables[index + 1] ?? '')).toBe(cellsOf(line));
  });
});

/** @returns an assessment that has the text in every column of free text */
async function insertHostile(): Promise<string> {
  const { organization_id, workspace_id, user_id } = await world.getAssessment(assessment);
  const place = { organizationId: organization_id, workspaceId: workspace_id, createdBy: user_id };
  await insertAssessmentRows(server.db, place, { text: HOSTILE, projectId: world.projectId });
  return (await me.get(`${AIRT}/assessments?page_size=1`)).body.items[0].id;
}

/** CommonMark ends a fence by its length: a fence ends with as many backticks as it began with, or more. */
function withoutFences(markdown: string): string {
  let open = 0;
  const outside: string[] = [];
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const marks = /^`{3,}/.exec(line)?.[0].length ?? 0;
    if (open === 0 && marks > 0) open = marks;
    else if (open === 0) outside.push(line);
    else if (marks >= open && line.trim() === '`'.repeat(marks)) open = 0;
  }
  expect(open).toBe(0);
  return outside.join('\n');
}

test('an executive summary fits a page and names the worst findings', async () => {
  const { content } = (await report('executive_summary')) as { content: string };
  expect(content.split('\n').length).toBeLessThan(60);
  expect(content).toMatch(/^# Executive summary: /);
  expect(content).toContain('## What to do next\n\n1. ');
  expect(content).toMatch(/\n- \*\*(critical|high)\*\*, /);
  expect(content).toMatch(/OWASP Top 10 for LLM Applications \(2025\): \d+ of \d+ tested controls broken/);
});

test('a JSON report has the figures of the analytics and every finding with a success', async () => {
  const { content, content_json: document } = await report('json');
  expect(content).toBe(null);
  const { body: analytics } = await me.get(`${AIRT}/assessments/${assessment}/analytics`);
  expect(document).toMatchObject({
    format: 'drydock-red-team-report/1',
    assessment: { id: assessment, status: 'completed' },
    target: { kind: 'model', name: 'sim/guarded' },
    digests: { attack_manifest: expect.stringMatching(/^[0-9a-f]{64}$/), target_config: null },
    method: { seed: 7, judge_model: 'sim/judge' },
    analytics,
  });
  const ids = (await succeeded()).map(({ id }: { id: string }) => id);
  expect(document.findings.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
  expect(document.worst_findings[0].best_trial.response.length).toBeGreaterThan(0);
});

describe('a SARIF report', () => {
  const LEVELS: Record<string, string> = {
    critical: 'error',
    high: 'error',
    medium: 'warning',
    low: 'note',
    info: 'note',
  };

  test('fits the schema, with a rule for each attack and a result for each finding with a success', async () => {
    const { content, content_json: log } = await report('sarif');
    expect(misfitsOf(log)).toEqual([]);
    expect(JSON.parse(content)).toEqual(log);
    const [run] = log.runs;
    expect(run.tool.driver).toMatchObject({ name: 'Drydock', version: expect.stringMatching(/^\d/) });
    const rules = run.tool.driver.rules;
    expect(rules.map(({ id }: { id: string }) => id)).toEqual([
      'baseline',
      'policy_puppetry',
      'skeleton_key',
      'transform_sweep',
    ]);
    expect(rules[1].helpUri).toMatch(/^https:\/\/hiddenlayer\.com/);
    const findings = await succeeded();
    expect(run.results.length).toBe(findings.length);
    for (const finding of findings) {
      const result = run.results.find(
        ({ properties }: { properties: { finding_id: string } }) => properties.finding_id === finding.id,
      );
      expect(result).toMatchObject({
        ruleId: finding.attack_name,
        level: LEVELS[finding.severity],
        suppressions: [],
        locations: [{ logicalLocations: [{ name: 'sim/guarded' }] }],
        properties: {
          severity: finding.severity,
          asr: finding.success.asr,
          interval: finding.success.interval,
        },
      });
      expect(rules[result.ruleIndex].id).toBe(finding.attack_name);
      expect(Number(result.properties['security-severity'])).toBeGreaterThanOrEqual(0);
      expect(result.properties.tags).toEqual(
        expect.arrayContaining(Object.values(finding.compliance_tags).flat()),
      );
      expect(result.taxa.length).toBe(result.properties.tags.length);
    }
  });

  test('finds mistakes by the schema', async () => {
    const { content_json: log } = await report('sarif');
    log.runs[0].results[0].level = 'fatal';
    expect(misfitsOf(log).length).toBeGreaterThan(0);
  });

  test('has the same fingerprints for the same attacks, goals and target in another assessment', async () => {
    const fingerprintsOf = async (id: string) =>
      (await report('sarif', id)).content_json.runs[0].results.map(
        ({ partialFingerprints }: { partialFingerprints: object }) => Object.values(partialFingerprints)[0],
      ) as string[];
    const first = await fingerprintsOf(assessment);
    expect(new Set(first).size).toBe(first.length);
    const { id } = await world.run(REQUEST);
    expect((await fingerprintsOf(id)).toSorted()).toEqual(first.toSorted());
  });

  test('suppresses findings that were accepted or rejected', async () => {
    const [accepted, rejected] = await succeeded();
    const notes = 'known since March';
    await me.patch(`${AIRT}/findings/${accepted.id}`, { finding_status: 'accepted_risk', notes });
    await me.patch(`${AIRT}/findings/${rejected.id}`, { finding_status: 'false_positive', notes });
    const { content_json: log } = await report('sarif');
    expect(misfitsOf(log)).toEqual([]);
    for (const { id } of [accepted, rejected]) {
      const result = log.runs[0].results.find(
        ({ properties }: { properties: { finding_id: string } }) => properties.finding_id === id,
      );
      expect(result.suppressions).toEqual([{ kind: 'external', status: 'accepted', justification: notes }]);
    }
    const { content } = await report('markdown');
    expect(content).toContain('open → accepted');
    expect(content).not.toContain(rejected.id);
  });
});
