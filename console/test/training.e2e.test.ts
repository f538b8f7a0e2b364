/** The training jobs of the console: list, live curves, checkpoints, log, settings, lineage, and the form of a new one. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import {
  endAt,
  JOBS,
  type Report,
  START,
  savedAt,
  startTrainingWorld,
  stepOf,
} from '../../server/test/training-world.ts';
import { ConsoleBrowser, expectAccessibleInBothSchemes, type Visit } from './browser.ts';
import { expectHarmless } from './xss-payloads.ts';

const { server, me, create, getJob, toRequest, newTrainer } = await startTrainingWorld();
const trainer = await newTrainer();
const browser = await ConsoleBrowser.open(server);

const LIST = '/o/main/w/main/training';
const UNKNOWN = '01a1eb66-13da-7000-92ac-0aba39e192a9';
const ATTACK = '<img src=x onerror="window.__xss=1">';
const NAME = `Brief answers ${ATTACK}`;
const STEPS = 60;
const MAX_TABS = 60;

let visit: Visit;
let finished: string;
let failed: string;

const evalAt = (step: number): Report => ({
  type: 'eval_complete',
  step,
  metrics: { 'eval/loss': 1.2 * lossAt(step) },
});

const logLine = (level: string, message: string): Report => ({
  type: 'log',
  level,
  message,
  data: { note: ATTACK },
});

/** A curve that falls, and is as restless as real ones. */
const lossAt = (step: number, factor = 1) =>
  factor * (0.3 + 2 * Math.exp(-step / 15) + 0.15 * Math.abs(Math.sin(step * 7)));

function steps(from: number, to: number, factor = 1): Report[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const step = from + index;
    return {
      ...stepOf(step, lossAt(step, factor)),
      metrics: {
        'train/loss': lossAt(step, factor),
        'train/learning_rate': 2e-4 * (1 - step / (STEPS + 1)),
        'train/grad_norm': 0.5 + Math.abs(Math.cos(step * 3)),
        'train/tokens_per_second': 900 + (step % 7) * 20,
      },
    };
  });
}

const start = (total = STEPS): Report => ({ ...START, total_steps: total });

beforeAll(async () => {
  finished = await create({
    name: NAME,
    tags: ['demo'],
    config: { eval_dataset_ref: { name: 'facts', version: '1.0.0', split: 'train' } },
  });
  const first = await trainer.claimJob(`gpu-1 ${ATTACK}`);
  await trainer.report(first, [
    start(),
    logLine('warning', `A warning ${ATTACK}`),
    ...steps(1, 30),
    evalAt(30),
  ]);
  await trainer.upload(first, 30);
  await trainer.report(first, [savedAt(30), ...steps(31, STEPS), evalAt(STEPS)], 34);
  await trainer.upload(first, STEPS);
  const { status, body } = await trainer.report(first, [savedAt(STEPS), endAt(STEPS)], 66);
  expect({ status, body }).toMatchObject({ status: 200 });
  failed = await create({ name: 'Too large', model: `hub/${ATTACK}`, config: { batch_size: 64, epochs: 1 } });
  const second = await trainer.claimJob();
  await trainer.report(second, [
    start(),
    ...steps(1, 20, 1.4),
    {
      type: 'training_error',
      kind: 'out_of_memory',
      field: 'batch_size',
      message: `Out of memory ${ATTACK}`,
    },
  ]);
  visit = await browser.signIn(LIST);
});

const pathOf = (page: Page) => new URL(page.url()).pathname;
const queryOf = (page: Page, key: string) => new URL(page.url()).searchParams.get(key);
const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const charts = (page: Page) => page.getByRole('slider', { name: /^Crosshair/ });
const readOut = (page: Page) => page.getByRole('table', { name: 'Values at a step' });

/** Finds a form field, whose label ends with an asterisk if it is required, but not its list of suggestions, which has the same label. */
const field = (page: Page, label: string) =>
  page
    .locator('input')
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
  await page.getByRole('complementary').getByText(ATTACK).first().waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${LIST}/${finished}?with=${failed}&smoothing=0.6&scale=log`);
  await readOut(page).getByText('Too large').waitFor();
  await page.getByText('The curves in numbers').click();
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${LIST}/${failed}?diff=${finished}&tab=config`);
  await page.getByRole('alert').getByText(`batch_size: Out of memory ${ATTACK}`).waitFor();
  await page.getByRole('table', { name: 'Settings' }).getByText('differs').first().waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${LIST}/${finished}?tab=checkpoints`);
  const tabs = [
    ['Log', page.getByRole('log').getByText(`A warning ${ATTACK}`)],
    ['Lineage', page.getByRole('list', { name: 'Made of' }).getByText('tiny@1.0.0')],
    ['Checkpoints', page.getByRole('button', { name: 'Publish step 30' })],
  ] as const;
  for (const [tab, shown] of tabs) {
    await openTab(page, tab);
    await shown.waitFor();
    await expectHarmless(page);
    await expectAccessibleInBothSchemes(page);
  }
  await page.getByRole('button', { name: 'Publish step 30' }).click();
  await page.getByRole('dialog').waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${LIST}/new`);
  await page.getByText('Choose a base model').waitFor();
  await expectAccessibleInBothSchemes(page);
  await expectHarmless(page);
  expect(errors).toEqual([]);
});

test('two jobs are marked in the list, and their curves are read at a step, smoothed and on a log scale', async () => {
  const { page } = visit;
  await page.goto(LIST);
  await page.getByLabel('Overlay Too large').check();
  await page.getByText('Mark another job').waitFor();
  await page.getByLabel('Overlay Brief answers').check();
  await page.getByRole('link', { name: 'Overlay 2 jobs' }).click();
  await expect.poll(() => pathOf(page)).toBe(`${LIST}/${failed}`);
  expect(queryOf(page, 'with')).toBe(finished);
  await readOut(page).getByText(NAME).waitFor();
  await page.locator('[data-chart="Gradient norm"]').hover({ position: { x: 150, y: 80 } });
  await readOut(page)
    .getByText(/^At step \d+$/)
    .waitFor();
  // The crosshair is in all four charts.
  await expect.poll(() => page.locator('[data-chart] line[class*=crosshair]').count()).toBe(4);
  await page.getByRole('slider', { name: 'Smoothing' }).press('End');
  await expect.poll(() => queryOf(page, 'smoothing')).toBe('0.99');
  expect(await page.locator('[data-chart=Loss] path[class*=raw]').count()).toBe(2);
  await page.getByRole('switch', { name: 'Log scale' }).click();
  await expect.poll(() => queryOf(page, 'scale')).toBe('log');
  await field(page, 'Overlay jobs').press('Backspace');
  await expect.poll(() => queryOf(page, 'with')).toBeNull();
  await expect.poll(() => page.locator('[data-chart=Loss] path[class*=raw]').count()).toBe(1);
});

test('a job is opened, and its curves and tabs are read with the keyboard alone', async () => {
  const { page } = visit;
  await page.goto(LIST);
  await tabTo(page, page.getByRole('row').nth(1));
  await page.keyboard.press('ArrowDown');
  await page.getByRole('complementary').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => pathOf(page)).toBe(`${LIST}/${finished}`);
  await tabTo(page, page.getByRole('tab', { name: 'Curves' }));
  await tabTo(page, charts(page));
  await page.keyboard.press('Home');
  await readOut(page).getByText('At step 1', { exact: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await readOut(page).getByText('At step 2', { exact: true }).waitFor();
  expect(await charts(page).getAttribute('aria-valuetext')).toMatch(
    /^Step 2\. Train loss [\d.]+, Learning rate/,
  );
  await page.keyboard.press('Escape');
  await readOut(page).getByText('Last values').waitFor();
  await page.goto(`${LIST}/${finished}`);
  await tabTo(page, page.getByRole('tab', { name: 'Curves' }));
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => queryOf(page, 'tab')).toBe('checkpoints');
  await tabTo(page, page.getByRole('button', { name: 'Publish step 30' }));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

test('a checkpoint is published, and its version leads to serving and to an evaluation', async () => {
  const { page } = visit;
  await page.goto(`${LIST}/${finished}?tab=checkpoints`);
  await page.getByRole('button', { name: 'Publish step 30' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Not A Name');
  await dialog.getByRole('button', { name: 'Publish the version' }).click();
  await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Name').fill('brief');
  await dialog.getByLabel('Version').fill('0.1.0');
  await dialog.getByRole('button', { name: 'Publish the version' }).click();
  await page.getByText('brief@0.1.0 is published').waitFor();
  expect((await me.get('/org/main/models/brief/0.1.0')).status).toBe(200);
  await page.getByRole('button', { name: 'Serve brief@0.1.0' }).click();
  await page.getByRole('button', { name: 'Start serving' }).click();
  // This server has no trainer beside it.
  await page.getByRole('alert').getByText('npm run setup -- --training').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'Evaluate brief@0.1.0' }).click();
  await expect.poll(() => field(page, 'Model').inputValue()).toBe('local/brief@0.1.0');
  await page.goto(`${LIST}/${finished}?tab=lineage`);
  await page.getByRole('list', { name: 'Published model versions' }).getByText('brief@0.1.0').waitFor();
});

test('a running job is followed live, through a lost trainer, and is cancelled elsewhere', async () => {
  const { page, errors } = visit;
  const id = await create({ name: 'Live one' });
  const first = await trainer.claimJob();
  await trainer.report(first, [start(40), ...steps(1, 3)]);
  await page.goto(`${LIST}/${id}`);
  await readOut(page)
    .getByText(formatLoss(lossAt(3)), { exact: true })
    .waitFor();
  await page.getByText('3 / 40').first().waitFor();
  await page.evaluate('window.isSamePage = true');
  const read: string[] = [];
  page.on('request', (request) => read.push(new URL(request.url()).pathname));
  let step = 3;
  const showsNextStep = async () => {
    read.length = 0;
    step += 1;
    const reports = [...steps(step, step), logLine('info', `Line ${step}`)];
    expect(await trainer.report(first, reports, 2 * step - 3)).toMatchObject({ status: 200 });
    await page.getByText(`${step} / 40`).first().waitFor();
    await readOut(page)
      .getByText(formatLoss(lossAt(step)), { exact: true })
      .waitFor();
    return read.filter((path) => path.endsWith('/metrics')).length;
  };
  // The metrics are read when the stream of events begins, and after that no more.
  await expect.poll(showsNextStep, { interval: 700 }).toBe(0);
  await page.getByText(/^Time left/).waitFor();
  await openTab(page, 'Log');
  await page.getByRole('log').getByText(`Line ${step}`).waitFor();
  await openTab(page, 'Curves');
  await page.getByRole('button', { name: 'Running jobs: 1' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Live one' }).waitFor();
  await loseTrainer(id);
  await page.getByText('The trainer was lost').waitFor();
  const second = await trainer.claimJob('spare');
  await page.getByText('One trainer was lost').waitFor();
  await page.goto('/o/main/w/main');
  await page.getByRole('region', { name: 'Running now' }).getByRole('link', { name: 'Live one' }).waitFor();
  await page.goto(`${LIST}/${id}`);
  await page.getByText('One trainer was lost').waitFor();
  await me.post(`${JOBS}/${id}/cancel`);
  await trainer.report(second, [{ type: 'cancelled' }]);
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('link', { name: 'an earlier job' }).waitFor();
  const retry = pathOf(page).split('/').at(-1) ?? '';
  expect((await getJob(retry)).retry_of).toBe(id);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  expect(errors).toEqual([]);
});

/** Formats a loss like the read-out. */
const formatLoss = (loss: number) => String(Number(loss.toPrecision(4)));

/** Ends the lease of a job, as 30 seconds without a report do. A trainer that can train nothing finds it then. */
async function loseTrainer(id: string): Promise<void> {
  const { organization_id } = await getJob(id);
  await server.db
    .updateTable('training_jobs')
    .set({ lease_expires_at: '2026-01-01T00:00:00Z' })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .execute();
  await trainer.claim('watcher', { engines: ['none'] });
}

test('a new job shows its estimate and errors at their fields, and is created', async () => {
  const { page, errors } = visit;
  await page.goto(`${LIST}/new`);
  await field(page, 'Base model').fill('main/tiny@1.0.0');
  await field(page, 'Capability').fill('helper');
  await expect.poll(() => field(page, 'Capability version').inputValue()).toBe('1.0.0');
  await page.getByRole('button', { name: 'Add trajectories' }).click();
  await field(page, 'Trajectories 1').fill('facts');
  await expect.poll(() => field(page, 'Trajectories 1 version').inputValue()).toBe('1.0.0');
  await page.getByRole('button', { name: 'Remove trajectories 1' }).click();
  await page.getByRole('button', { name: 'Start the job' }).click();
  await expect.poll(() => field(page, 'Dataset').getAttribute('aria-invalid')).toBe('true');
  await field(page, 'Dataset').fill('facts');
  await expect.poll(() => field(page, 'Dataset version').inputValue()).toBe('1.0.0');
  await field(page, 'Max. sequence length').fill('4');
  const estimate = page.getByRole('region', { name: 'Estimate' });
  await estimate.getByText('8 examples of 8 will be truncated').waitFor();
  await estimate.getByRole('table', { name: 'Longest rows' }).waitFor();
  await field(page, 'Learning rate').fill('fast');
  await page.getByRole('button', { name: 'Start the job' }).click();
  await expect.poll(() => field(page, 'Learning rate').getAttribute('aria-invalid')).toBe('true');
  await field(page, 'Learning rate').fill('1e-3');
  await field(page, 'Name').fill('From the form');
  await page.getByRole('button', { name: 'Start the job' }).click();
  await page.getByRole('heading', { name: 'From the form' }).waitFor();
  await page.getByText('No curves yet').waitFor();
  const id = pathOf(page).split('/').at(-1) ?? '';
  const { config } = await getJob(id);
  expect(config).toMatchObject({ learning_rate: 1e-3, max_sequence_length: 4 });
  await me.post(`${JOBS}/${id}/cancel`);
  await page.getByText('Cancelled', { exact: true }).waitFor();
  expect(errors).toEqual([]);
});

test('a workspace without jobs says how to fill it, and one without a trainer how to start one', async () => {
  const { page } = visit;
  await me.post('/org/main/ws', { name: 'Idle' });
  await page.goto('/o/main/w/idle/training');
  await page.getByText('npm run demo').waitFor();
  await expectAccessibleInBothSchemes(page);
  const { status } = await me.post('/org/main/ws/idle/training/jobs', toRequest());
  expect(status).toBe(201);
  await page.goto('/o/main/w/idle/training');
  await page.getByText('1 job waits for a trainer').waitFor();
  await page.getByText('npm run setup -- --training').waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.goto(`${LIST}/${UNKNOWN}`);
  await page.getByRole('link', { name: 'Back to the training jobs' }).click();
  await page.getByLabel('Status').selectOption('queued');
  await page.getByText('No matching jobs').waitFor();
  expect(queryOf(page, 'status')).toBe('queued');
});
