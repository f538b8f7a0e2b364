/** The optimization jobs of the console: list, progress, candidates with their changes, promotion, and the form of a new one. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { sampleRows } from '../../scripts/demo/sample-rows.ts';
import { publishRows, startOptimizationWorld } from '../../server/test/optimization-world.ts';
import { ConsoleBrowser, expectAccessibleInBothSchemes, type Visit } from './browser.ts';

const { server, me, create, getJob, jobEnded, listCandidates } = await startOptimizationWorld();
const browser = await ConsoleBrowser.open(server);

const LIST = '/o/main/w/main/optimization';
const UNKNOWN = '01a1eb66-13da-7000-92ac-0aba39e192a9';
const ATTACK = '<img src=x onerror="window.hacked=1">';
const NAME = `Better answers ${ATTACK}`;
const MAX_TABS = 60;

let visit: Visit;
let finished: string;
let best: number;

beforeAll(async () => {
  await publishRows(me, 'few', sampleRows(10));
  finished = await create({ name: NAME, tags: [ATTACK], objective: ATTACK });
  await jobEnded(finished);
  best = (await getJob(finished)).summary.metadata.best_index;
  visit = await browser.signIn(LIST);
});

const pathOf = (page: Page) => new URL(page.url()).pathname;
const queryOf = (page: Page, key: string) => new URL(page.url()).searchParams.get(key);
const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** Finds a form field, whose label ends with an asterisk if it is required, but not its list of suggestions, which has the same label. */
const field = (page: Page, label: string) =>
  page
    .locator('input:not([type=radio])')
    .and(page.getByLabel(label, { exact: true }).or(page.getByLabel(`${label} *`, { exact: true })));

/** Presses Tab until an element has the focus, as people without a mouse do. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if ((await target.first().and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} presses of Tab do not reach ${String(target)}`);
}

test('every screen is accessible in light and dark, and shows text of users as text', async () => {
  const { page, errors } = visit;
  await page.goto(`${LIST}?selected=${finished}`);
  await page.getByRole('complementary').getByText('Best score').waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.getByRole('link', { name: 'Open the job' }).click();
  await page.getByRole('heading', { name: NAME }).waitFor();
  const tabs = [
    ['Progress', 'Metric calls when the candidate was found'],
    ['Candidates', 'Found after'],
    ['Heat map', 'Rows are the examples'],
    ['Settings', 'candidate_selection_strategy'],
    ['Log', 'The job has started'],
    ['Proposals', 'Minibatch sum'],
  ] as const;
  for (const [tab, text] of tabs) {
    await openTab(page, tab);
    await shows(page, text);
    await expectAccessibleInBothSchemes(page);
  }
  await page.getByRole('table', { name: 'Proposals' }).getByText('candidate #1').click();
  await page.getByRole('dialog').getByRole('table', { name: 'Minibatch' }).waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${LIST}/new`);
  await shows(page, 'Choose a capability');
  await expectAccessibleInBothSchemes(page);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(errors).toEqual([]);
});

test('the best candidate is found in the list, its changes are read, and it is promoted', async () => {
  const { page } = visit;
  await page.goto(LIST);
  await page.getByRole('row').filter({ hasText: 'Better answers' }).dblclick();
  await page.getByRole('img', { name: /^Scores by metric calls/ }).waitFor();
  await page.locator(`[data-candidate="${best}"] circle`).last().click();
  await expect.poll(() => queryOf(page, 'candidate')).toBe(String(best));
  await openTab(page, 'Candidates');
  const candidate = page.getByRole('region', { name: `Candidate ${best}` });
  const added = (await listCandidates(finished))[best].texts.instructions.split('\n').at(-1);
  await candidate
    .getByRole('table', { name: 'Changes of instructions' })
    .locator('tr[data-kind=added]')
    .getByText(added)
    .waitFor();
  await candidate.getByLabel('Response on instructions').getByText(added).waitFor();
  await candidate.getByRole('button', { name: 'Promote this' }).click();
  await page.getByRole('button', { name: 'Publish assistant@1.0.1' }).waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.getByLabel('Version').fill('1.0.0');
  await page.getByRole('button', { name: 'Publish assistant@1.0.0' }).click();
  await page.getByRole('dialog').getByText('exists already').waitFor();
  await page.getByLabel('Version').fill('1.0.1');
  await page.getByRole('button', { name: 'Publish assistant@1.0.1' }).click();
  await shows(page, 'assistant@1.0.1 is published');
  await shows(page, `Promoted: assistant@1.0.1 (candidate #${best})`);
  expect((await me.get('/org/main/capabilities/assistant/1.0.1')).status).toBe(200);
  await candidate.getByRole('link', { name: 'Evaluation' }).click();
  await expect.poll(() => pathOf(page)).toMatch(/\/evaluations\/[0-9a-f-]{36}$/);
  await shows(page, 'Pass rate');
});

test('a job is opened, and its tabs, candidates and proposals are read with the keyboard alone', async () => {
  const { page } = visit;
  await page.goto(LIST);
  await tabTo(page, page.getByRole('row').nth(1));
  await page.keyboard.press('Space');
  await page.getByRole('complementary').getByText('Best score').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => pathOf(page)).toBe(`${LIST}/${finished}`);
  await tabTo(page, page.getByRole('tab', { name: 'Progress' }));
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => queryOf(page, 'tab')).toBe('candidates');
  await tabTo(page, page.getByRole('treeitem', { selected: true }));
  await page.keyboard.press('Home');
  await page.getByRole('region', { name: 'Candidate 0' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('region', { name: 'Candidate 1' }).waitFor();
  await page.goto(`${LIST}/${finished}?tab=proposals`);
  await tabTo(page, page.getByRole('row').nth(1));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('Minibatch', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(queryOf(page, 'proposal')).toBeNull();
});

test('a new job shows its estimate and errors at their fields, and is followed to its end', async () => {
  const { page, errors } = visit;
  await page.goto(`${LIST}/new`);
  await field(page, 'Capability').fill('assistant');
  await field(page, 'Capability version').fill('1.0.0');
  await field(page, 'Dataset').fill('few');
  await expect.poll(() => field(page, 'Dataset version').inputValue()).toBe('1.0.0');
  await field(page, 'Max. metric calls').fill('10');
  await page.getByRole('button', { name: 'Start the job' }).click();
  await expect.poll(() => field(page, 'Max. metric calls').getAttribute('aria-invalid')).toBe('true');
  await shows(page, 'Correct the marked fields');
  await field(page, 'Max. metric calls').fill('20');
  const estimate = page.getByRole('region', { name: 'Estimate' });
  await estimate.getByText('limit 20').waitFor();
  await page.getByRole('button', { name: 'Start the job' }).click();
  await page.getByRole('heading', { name: 'assistant' }).waitFor();
  await page.evaluate('window.isSamePage = true');
  await shows(page, 'max_metric_calls is 20');
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByRole('table', { name: 'Candidates' }).getByText('#1', { exact: true }).waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  expect(errors).toEqual([]);
});

test('a running job is in the top bar, is cancelled, and is continued by a retry', async () => {
  const { page } = visit;
  const id = await create({ name: 'Long one', config: { max_metric_calls: 100_000 } });
  await expect.poll(async () => (await getJob(id)).status).toBe('running');
  await page.goto(`${LIST}/${id}`);
  const jobs = page.getByRole('button', { name: 'Running jobs: 1' });
  await jobs.click();
  await page.getByRole('dialog').getByRole('link', { name: 'Long one' }).waitFor();
  await jobs.click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('menuitem', { name: 'Continue from its results' }).click();
  await page.getByRole('link', { name: 'an earlier job' }).waitFor();
  const retry = pathOf(page).split('/').at(-1) ?? '';
  expect((await getJob(retry)).retry_of).toBe(id);
  await me.post(`/org/main/ws/main/optimization/jobs/${retry}/cancel`);
  await page.getByText('Cancelled', { exact: true }).waitFor();
});

test('a link to an unknown job says so, and leads back', async () => {
  const { page } = visit;
  await page.goto(`${LIST}/${UNKNOWN}`);
  await page.getByRole('link', { name: 'Back to the optimization jobs' }).click();
  await page.getByLabel('Status').selectOption('failed');
  await shows(page, 'No matching jobs');
  expect(queryOf(page, 'status')).toBe('failed');
});
