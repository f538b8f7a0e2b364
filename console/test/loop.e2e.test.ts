/** The loop of the console: journey of a capability, gates and their checks, lineage, remediation of findings, contaminated samples. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { sampleRows } from '../../scripts/demo/sample-rows.ts';
import { W } from '../../server/test/evaluation-world.ts';
import { ATTACKS, CANARY, startGateWorld } from '../../server/test/gate-world.ts';
import { JOBS, optimizationTools, publishRows } from '../../server/test/optimization-world.ts';
import { until } from '../../server/test/processes.ts';
import { ConsoleBrowser, expectAccessibleInBothSchemes, type Visit } from './browser.ts';

const world = await startGateWorld();
const { me, server, airt } = world;
const { create, jobEnded } = optimizationTools(me);
const browser = await ConsoleBrowser.open(server);

const HOME = '/o/main/w/main';
const JOURNEY = `${HOME}/capabilities/keeper/journey`;
const MAX_TABS = 60;

let visit: Visit;
let made: { jobId: string; findingId: string; checkId: string; evaluationId: string; itemId: string };

/** keeper 1.0.0 is attacked, 1.1.0 passes a gate, and 1.2.0 is promoted and then evaluated on the rows that it was optimized on. */
beforeAll(async () => {
  const { id: assessmentId } = await airt.run({
    name: 'Attack of 1.0.0',
    target_model: 'sim/instructed',
    target_config: { kind: 'agent', capability: { name: 'keeper', version: '1.0.0' }, agent: 'clerk' },
    attack_manifest: [{ ...ATTACKS[0], params: { canary: CANARY, exhaustive: true } }],
  });
  const [{ id: findingId }] = await airt.listFindings(assessmentId);
  const rules = [{ kind: 'asr', attack_manifest: ATTACKS, bound: 0, margin: 0.5 }];
  await world.createGate({ name: 'secrets', rules, protects: ['keeper'] });
  const { id: checkId } = await world.check('secrets', { capability: 'keeper', version: '1.1.0' });
  await publishRows(me, 'questions', sampleRows(4));
  const jobId = await create({
    name: 'Better answers',
    capability_ref: { name: 'keeper', version: '1.0.0' },
    agent_name: 'clerk',
    config: { max_metric_calls: undefined, max_trials: 1 },
  });
  await jobEnded(jobId);
  const promoted = await me.post(`${JOBS}/${jobId}/promote`, { version: '1.2.0-rc.1', candidate: 0 });
  expect(promoted).toMatchObject({ status: 201 });
  const evaluationId = await world.evaluate({
    name: 'Rows of the job',
    model: 'sim/instructed',
    dataset: { name: 'questions', version: '1.0.0', input: 'input', expected: 'expected_output' },
    scorers: [{ type: 'exact' }],
    capability: { name: 'keeper', version: '1.2.0-rc.1' },
    agent: 'clerk',
  });
  await until('the evaluation has ended', async () => (await world.get(evaluationId)).status === 'completed');
  const [{ id: itemId }] = await world.listItems(evaluationId);
  made = { jobId, findingId, checkId, evaluationId, itemId };
  visit = await browser.signIn(`${HOME}/gates`);
});

const pathOf = (page: Page) => new URL(page.url()).pathname;
const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Presses Tab until an element has the focus, as people without a mouse do. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if ((await target.first().and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} presses of Tab do not reach ${String(target)}`);
}

test('every screen is accessible in light and dark', async () => {
  const { page, errors } = visit;
  const { findingId, checkId, evaluationId, itemId } = made;
  const screens = [
    [`${HOME}/gates`, 'Last verdict'],
    [`${HOME}/gates/secrets`, 'Rules passed'],
    [`${HOME}/gates/secrets/checks/${checkId}`, '95 % interval'],
    [JOURNEY, 'What changed'],
    [`${HOME}/lineage?kind=capability&name=keeper&version=1.2.0-rc.1`, 'job whose candidate was promoted'],
    [`${HOME}/red-team/findings?finding=${findingId}`, 'The attack no longer works on keeper@1.1.0'],
    [`${HOME}/evaluations/${evaluationId}?tab=analytics`, 'Without contaminated ones'],
    [`${HOME}/evaluations/${evaluationId}/samples/${itemId}`, 'cannot measure it'],
  ] as const;
  for (const [path, text] of screens) {
    await page.goto(path);
    await shows(page, text);
    await expectAccessibleInBothSchemes(page);
  }
  expect(errors).toEqual([]);
});

test('the journey is opened from the promoted version of a job, and leads to its proof', async () => {
  const { page } = visit;
  await page.goto(`${HOME}/optimization/${made.jobId}`);
  await page.getByRole('link', { name: 'keeper@1.2.0-rc.1' }).click();
  await expect.poll(() => pathOf(page)).toBe(JOURNEY);
  await page.getByRole('img', { name: /^Pass rates and attack success rates.* 1\.1\.0: 0 % of 4/ }).waitFor();
  const rowOf = (version: string) => page.getByRole('listitem', { name: `Version ${version}` });
  const promoted = rowOf('1.2.0-rc.1');
  await promoted.getByText('pre-release').waitFor();
  await promoted.getByText('that started from 1.0.0').waitFor();
  await promoted.getByText(/4 contaminated/).waitFor();
  await rowOf('1.1.0').getByText('agents/clerk.md').waitFor();
  await rowOf('1.0.0').getByText('Findings in which an attack succeeded: 1').waitFor();
  await promoted.getByRole('link', { name: 'Changes of candidate #0' }).click();
  await page.getByRole('region', { name: 'Candidate 0' }).waitFor();
  await page.goBack();
  await rowOf('1.1.0').getByRole('link', { name: 'secrets', exact: true }).click();
  await expect.poll(() => pathOf(page)).toBe(`${HOME}/gates/secrets/checks/${made.checkId}`);
  await page.getByRole('link', { name: 'Assessment', exact: true }).click();
  await expect.poll(() => pathOf(page)).toMatch(/\/red-team\/[0-9a-f-]{36}$/);
});

test('the journey is opened from the command palette', async () => {
  const { page } = visit;
  await page.goto(`${HOME}/gates`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('textbox', { name: 'Search' }).fill('keeper');
  await page.getByRole('dialog').getByText('Journey of the capability').first().click();
  await expect.poll(() => pathOf(page)).toBe(JOURNEY);
});

test('a version is checked with the keyboard alone, and the check is followed to its verdict', async () => {
  const { page, errors } = visit;
  await page.goto(`${HOME}/gates`);
  await tabTo(page, page.getByRole('row').nth(1));
  await page.keyboard.press('Enter');
  await expect.poll(() => pathOf(page)).toBe(`${HOME}/gates/secrets`);
  await tabTo(page, page.getByRole('button', { name: 'Check a version' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByLabel('Version *').inputValue()).toBe('1.1.0');
  await expectAccessibleInBothSchemes(page);
  await tabTo(page, dialog.getByLabel('Version *'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('9.9.9');
  await page.keyboard.press('Enter');
  await dialog.getByText('9.9.9').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('1.0.0');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'keeper@1.0.0' }).waitFor();
  const rule = page.getByRole('region', { name: 'Attack success rate at most 0 %' });
  await rule.getByText('Failed', { exact: true }).waitFor();
  await rule.getByRole('img', { name: /95 % interval .*bound at most 0 %, 4 trials/ }).waitFor();
  expect(errors).toEqual([]);
});

test('a finding says that its attack works again, becomes a task, and is marked as remediated after a fix', async () => {
  const { page } = visit;
  const path = `${HOME}/red-team/findings?finding=${made.findingId}`;
  await page.goto(path);
  const panel = page.getByRole('complementary', { name: 'Finding' });
  await panel.getByText('The attack still works on keeper@1.0.0').waitFor();
  expect(await panel.getByRole('button', { name: 'Mark as remediated' }).count()).toBe(0);
  await panel.getByRole('button', { name: 'Make regression task' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Task set').fill('attacks');
  await dialog.getByRole('button', { name: 'Make the task' }).click();
  await dialog.getByText('in the task set').waitFor();
  await expectAccessibleInBothSchemes(page);
  await dialog.getByRole('link', { name: 'Evaluate the task set' }).click();
  await expect.poll(() => page.locator('input[value=attacks]').count()).toBeGreaterThan(0);
  expect((await me.get('/org/main/task-sets/attacks')).status).toBe(200);
  await world.check('secrets', { capability: 'keeper', version: '1.1.0' });
  await page.goto(path);
  await panel
    .getByText(/no longer works on keeper@1\.1\.0 \(0 of 4 succeeded, 95 % interval 0 % to/)
    .waitFor();
  await panel.getByRole('button', { name: 'Mark as remediated' }).click();
  await panel.getByText('Remediated', { exact: true }).first().waitFor();
  expect((await me.get(`${W}/airt/findings/${made.findingId}`)).body.finding_status).toBe('remediated');
});

test('lineage is read in layers, by direction, from a version to its job and from a session', async () => {
  const { page, errors } = visit;
  await page.goto(JOURNEY);
  await page
    .getByRole('listitem', { name: 'Version 1.2.0-rc.1' })
    .getByRole('link', { name: 'lineage' })
    .click();
  const graph = page.getByRole('group', { name: 'Lineage' });
  const before = graph.getByRole('list', { name: 'Made from, 1 step before' });
  await before.getByText('Optimization job').waitFor();
  await graph.getByRole('list', { name: 'Made from, 2 steps before' }).getByText('keeper@1.0.0').waitFor();
  await page.getByText('What it was made from', { exact: true }).click();
  await expect.poll(() => graph.getByText('Session').count()).toBe(0);
  await tabTo(page, before.getByRole('link'));
  await page.keyboard.press('Enter');
  await expect.poll(() => pathOf(page)).toBe(`${HOME}/optimization/${made.jobId}`);
  const [{ session_id }] = await world.listItems(made.evaluationId);
  await page.goto(`${HOME}/sessions/${session_id}`);
  await page.getByRole('link', { name: 'Lineage of this session' }).click();
  await graph.getByText('questions@1.0.0').waitFor();
  await page.goto(`${HOME}/lineage?kind=capability&name=keeper&version=8.0.0`);
  await page.getByRole('link', { name: 'Back to' }).waitFor();
  expect(errors).toEqual([]);
});

test('contaminated samples have a badge, their source, and a rate without them', async () => {
  const { page } = visit;
  await page.goto(`${HOME}/evaluations/${made.evaluationId}`);
  await page.getByRole('table', { name: 'Samples' }).getByText('Contaminated').first().waitFor();
  await page.goto(`${HOME}/evaluations/${made.evaluationId}/samples/${made.itemId}`);
  await page.getByRole('note', { name: 'Contamination' }).getByRole('link').click();
  await expect.poll(() => pathOf(page)).toBe(`${HOME}/optimization/${made.jobId}`);
});
