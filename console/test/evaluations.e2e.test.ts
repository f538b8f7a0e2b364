/** The evaluations of the console: lists, live progress, controls, samples, and the form of a new one. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../../server/test/bundles.ts';
import { startEvaluationWorld, W } from '../../server/test/evaluation-world.ts';
import { FIRST_START } from '../../server/test/first-start.ts';
import { addOrganization } from '../../server/test/other-organization.ts';
import { ConsoleBrowser, expectAccessible, expectAccessibleInBothSchemes, type Visit } from './browser.ts';

const { server, me, publishTask, evaluate, get, ended, listItems } = await startEvaluationWorld();
const browser = await ConsoleBrowser.open(server);

const HOME = '/o/main/w/main';
const LIST = `${HOME}/evaluations`;
const UNKNOWN = '01a1eb66-13da-7000-92ac-0aba39e192a9';
const ATTACK = '<img src=x onerror="window.hacked=1">';
const MAX_TABS = 80;

let visit: Visit;
let finished: string;

beforeAll(async () => {
  const verify =
    'read -r answer < "$DRYDOCK_ANSWER_FILE"\n[ "$answer" = good ] || { echo "the answer is $answer"; exit 1; }\n';
  const files = { 'verify.sh': verify };
  await publishTask('right', 'echo good', { files, manifest: { tags: ['easy-one'], difficulty: 'easy' } });
  await publishTask('wrong', `echo 'permission denied'; echo '${ATTACK}'`, { files });
  await publishTask('slow', 'sleep 600; echo good', { files });
  finished = await evaluate({
    name: `Nightly ${ATTACK}`,
    tags: [ATTACK],
    task_names: ['right', 'wrong'],
    repetitions: 2,
  });
  await vi.waitFor(async () => expect((await get(finished)).status).toBe('completed'));
  visit = await browser.signIn(LIST);
});

/** Presses Tab until an element has the focus, as people without a mouse do. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if ((await target.first().and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} presses of Tab do not reach ${String(target)}`);
}

const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Finds a form field, but not its list of suggestions, which has the same label. */
const field = (page: Page, label: string) =>
  page.locator('input:not([type=radio])').and(page.getByLabel(label));

const pathOf = (page: Page) => new URL(page.url()).pathname;

test('every screen is accessible in light and dark, and shows text of users as text', async () => {
  const [item] = await listItems(finished, '&passed=false');
  const screens = [
    [HOME, 'Your spend this month'],
    [`${LIST}?selected=${finished}`, 'Repetitions'],
    [`${LIST}/${finished}`, '1–4 of 4'],
    [`${LIST}/${finished}?tab=analytics`, 'pass@1'],
    [`${LIST}/${finished}/samples/${item.id}`, 'Failed: the verification script ended with exit code 1'],
    [`${LIST}/${finished}/samples/${item.id}?tab=verification`, 'Standard output'],
    [`${LIST}/${finished}/samples/${item.id}?tab=sandbox`, 'No network requests.'],
    [`${LIST}/new`, 'Choose a model, and tasks or a dataset'],
  ] as const;
  const { page, errors } = visit;
  for (const [path, text] of screens) {
    await page.goto(path);
    await shows(page, text);
    await expectAccessibleInBothSchemes(page);
  }
  await page.goto(`${LIST}/${finished}/samples/${item.id}`);
  await page.getByLabel('Answer').getByText(ATTACK).waitFor();
  await page.goto(`${LIST}/${finished}`);
  await page.getByRole('heading', { name: `Nightly ${ATTACK}` }).waitFor();
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(errors).toEqual([]);
});

test('the list is filtered, and a row is selected and opened with the keyboard', async () => {
  const { page } = visit;
  await page.goto(LIST);
  await tabTo(page, page.getByLabel('Cancelled'));
  await page.keyboard.press('Space');
  await shows(page, 'No matching evaluations');
  expect(new URL(page.url()).searchParams.get('status')).toBe('cancelled');
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('row').nth(1));
  await page.keyboard.press('Space');
  await page.getByRole('complementary').getByText('Repetitions').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => pathOf(page)).toBe(`${LIST}/${finished}`);
});

test('samples are filtered, opened with the keyboard, and left with j and k', async () => {
  const { page } = visit;
  await page.goto(`${LIST}/${finished}?passed=no`);
  await shows(page, '1–2 of 2');
  await page.goto(`${LIST}/${finished}`);
  await shows(page, '1–4 of 4');
  await tabTo(page, page.getByRole('row').nth(1));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await shows(page, '2 of 4');
  await expect.poll(() => page.getByRole('button', { name: 'Next sample' }).isEnabled()).toBe(true);
  await page.keyboard.press('j');
  await shows(page, '3 of 4');
  await expect.poll(() => page.getByRole('button', { name: 'Previous sample' }).isEnabled()).toBe(true);
  await page.keyboard.press('k');
  await shows(page, '2 of 4');
  await tabTo(page, page.getByRole('tab', { name: 'Transcript' }));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Attempts' }).waitFor();
});

test('the search finds what was said in a sample, marks it, and leads there', async () => {
  const { page } = visit;
  await page.goto(`${LIST}/${finished}`);
  await page.getByLabel('Search in all samples').fill('PERMISSION denied');
  await shows(page, '2 samples match');
  await page.locator('mark', { hasText: 'permission denied' }).first().waitFor();
  await page.getByRole('link', { name: 'wrong, sample 1' }).click();
  await page.getByRole('status', { name: 'Result' }).getByText('Failed:').waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('PERMISSION denied');
});

test('progress is shown as it happens, without a reload', async () => {
  const { page } = visit;
  const id = await evaluate({ name: 'live', task_names: ['right'], repetitions: 4, concurrency: 1 });
  await expect.poll(async () => (await get(id)).status, { interval: 20 }).toBe('running');
  await me.patch(`${W}/evaluation/${id}`, { paused: true });
  await page.goto(`${LIST}/${id}`);
  const bar = page.getByRole('img', { name: /^Samples: / }).first();
  await expect.poll(() => bar.getAttribute('aria-label')).toMatch(/\d queued$/);
  await page.evaluate('window.isSamePage = true');
  await me.patch(`${W}/evaluation/${id}`, { paused: false });
  // Four samples, one after the other, take many seconds on a busy machine.
  await expect.poll(() => bar.getAttribute('aria-label')).toBe('Samples: 4 passed');
  await page.getByText('Completed', { exact: true }).first().waitFor();
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'Passed' }).count()).toBe(4);
  expect(await page.evaluate('window.isSamePage')).toBe(true);
});

test('an evaluation is paused, resumed, sped up and cancelled while it runs', async () => {
  const { page } = visit;
  const id = await evaluate({ name: 'controlled', task_names: ['slow'], repetitions: 4, concurrency: 1 });
  await page.goto(`${LIST}/${id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await shows(page, 'This evaluation is paused');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByLabel('Concurrency').fill('3');
  await page.getByLabel('Concurrency').press('Enter');
  await expect.poll(async () => (await get(id)).concurrency).toBe(3);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the evaluation' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel the evaluation' }).click();
  await shows(page, /^Cancelled/);
  await page.getByRole('button', { name: 'Edit' }).click();
  await field(page, 'Name').fill('renamed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'renamed' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the evaluation' }).click();
  await expect.poll(() => pathOf(page)).toBe(LIST);
  await page.goto(`${LIST}/${id}`);
  await shows(page, 'Not found');
});

test('failed samples are run again, all of a kind or one', async () => {
  const { page } = visit;
  const id = await evaluate({ name: 'again', task_names: ['wrong'], repetitions: 2 });
  await ended(id);
  await page.goto(`${LIST}/${id}`);
  await page.getByRole('button', { name: 'Retry failed' }).click();
  await page.getByRole('button', { name: 'Retry 2 samples' }).click();
  const attempts = async () => {
    const items = await listItems(id);
    const counts = await Promise.all(
      items.map(async (item: { id: string }) => {
        const { body } = await me.get(`${W}/evaluation/${id}/items/${item.id}/attempts`);
        return body.length;
      }),
    );
    return counts.toSorted((a, b) => a - b);
  };
  await expect.poll(attempts).toEqual([2, 2]);
  await ended(id);
  const [item] = await listItems(id);
  await page.goto(`${LIST}/${id}/samples/${item.id}?tab=attempts`);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(attempts).toEqual([2, 3]);
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
});

/**
 * Creates an evaluation in an organization that the signed-in user does not belong to.
 * @returns the address of its page
 */
async function evaluateElsewhere(): Promise<string> {
  const stranger = await server.addPerson('stranger');
  await addOrganization(server, stranger, 'strangers');
  const their = server.as(stranger);
  const [workspace] = (await their.get('/org/strangers/ws')).body;
  const task = {
    name: 'theirs',
    version: '1.0.0',
    instruction: 'hello',
    verification: { method: 'exact', expected: 'hello' },
  };
  const content = bundle({ 'task.yaml': JSON.stringify(task) });
  expect((await their.put('/org/strangers/tasks/theirs/1.0.0', content)).status).toBe(201);
  const request = { name: 'secret', model: 'sim/tool-user', task_names: ['theirs'] };
  const { status, body } = await their.post(`/org/strangers/ws/${workspace.key}/evaluation`, request);
  expect({ status, body }).toMatchObject({ status: 201 });
  return `/o/strangers/w/${workspace.key}/evaluations/${body.id}`;
}

test('an evaluation that is deleted while its page is open says so, and leads back', async () => {
  const id = await evaluate({ name: 'To be deleted', task_names: ['slow'] });
  const { page } = visit;
  await page.goto(`${LIST}/${id}`);
  await page.getByRole('heading', { name: 'To be deleted' }).waitFor();
  await me.post(`${W}/evaluation/${id}/cancel`);
  await shows(page, 'Cancelled');
  expect((await me.delete(`${W}/evaluation/${id}`)).status).toBe(204);
  // The page may have noticed it already, by the end of its stream.
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Evaluations' }).click();
  await expect.poll(() => pathOf(page)).toBe(LIST);
  await page.goBack();
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('link', { name: /^Back to/ }).click();
  await expect.poll(() => pathOf(page)).toBe(LIST);
});

test('links to what is unknown or forbidden say so, and lead back', async () => {
  const { page } = visit;
  for (const path of [
    `${LIST}/${UNKNOWN}`,
    `${LIST}/nonsense`,
    `${LIST}/${finished}/samples/${UNKNOWN}`,
    await evaluateElsewhere(),
  ]) {
    await page.goto(path);
    await page.getByRole('link', { name: /^Back to/ }).waitFor();
    expect(await page.getByText('secret').count()).toBe(0);
  }
  await page.goto(`${LIST}/${UNKNOWN}`);
  await page.getByRole('link', { name: 'Back to the evaluations' }).click();
  await page.getByRole('table', { name: 'Evaluations' }).waitFor();
});

test('a new evaluation is started with the keyboard alone, after mistakes at their fields', async () => {
  const { page } = visit;
  await page.goto(`${LIST}/new`);
  await tabTo(page, field(page, 'Name'));
  await page.keyboard.type('typed');
  await tabTo(page, field(page, 'Tasks'));
  await page.keyboard.type('missing');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Copy as' }));
  await tabTo(page, page.getByRole('button', { name: 'Start the evaluation' }));
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page
    .getByText(/missing/)
    .nth(1)
    .waitFor();
  expect(await field(page, 'Name').inputValue()).toBe('typed');
  await expectAccessible(page);
  await field(page, 'Name').press('Tab');
  await tabTo(page, field(page, 'Tasks'));
  await page.keyboard.press('Backspace');
  await page.keyboard.type('right');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Estimate' }).getByText('Samples').waitFor();
  await tabTo(page, page.getByRole('button', { name: 'Start the evaluation' }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'typed' }).waitFor();
});

test('a new evaluation of a dataset shows what its scorers say', async () => {
  const { page } = visit;
  const rows = [
    { question: 'four', answer: 'four' },
    { question: 'five', answer: 'six' },
  ];
  const content = rows.map((row) => JSON.stringify(row)).join('\n');
  const dataset = bundle({ 'dataset.yaml': 'summary: Words', 'test.jsonl': content });
  const { status } = await me.put('/org/main/datasets/words/1.0.0', dataset);
  expect(status).toBe(201);
  await page.goto(`${LIST}/new`);
  await field(page, 'Name').fill('of a dataset');
  await field(page, 'Model').fill('sim/echo');
  await page.getByText('Dataset', { exact: true }).click();
  await field(page, 'Dataset').fill('words');
  await page.getByPlaceholder('1.0.0').click();
  await field(page, 'Input').fill('question');
  await field(page, 'Expected answer').fill('answer');
  await page.getByRole('button', { name: 'Start the evaluation' }).click();
  await page.getByRole('heading', { name: 'of a dataset' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'Failed' }).click();
  const result = page.getByRole('status', { name: 'Result' });
  await expect.poll(() => result.textContent()).toBe('Failed: the scorer exact says: "five" is not "six".');
  await page.getByRole('tab', { name: 'Scores' }).click();
  await page.getByRole('cell', { name: '"five" is not "six".' }).waitFor();
});

test('a sign-in that expires in the middle of the form loses nothing that was typed', async () => {
  const { page, context, errors } = await browser.signIn(`${LIST}/new?project=default`);
  await field(page, 'Name').fill('kept');
  await field(page, 'Tasks').fill('right');
  await page.keyboard.press('Enter');
  await page.getByLabel('Repetitions').fill('3');
  await field(page, 'Tags').fill('kept-tag');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Estimate' }).getByText('Samples').waitFor();
  const logOut = `fetch('/api/v1/auth/browser/logout', { method: 'POST' }).then(({ status }) => status)`;
  expect(await page.evaluate(logOut)).toBe(200);
  await page.getByRole('button', { name: 'Start the evaluation' }).click();
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill(FIRST_START.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'kept' }).waitFor();
  const id = pathOf(page).split('/').at(-1) ?? '';
  const { project_id, ...created } = await get(id);
  expect(created).toMatchObject({ name: 'kept', repetitions: 3, tags: ['kept-tag'], task_names: ['right'] });
  expect(project_id).not.toBeNull();
  expect(errors).toEqual([]);
  await context.close();
});

test('a page waits for a server that cannot be reached for a moment', async () => {
  const { page, errors } = visit;
  await page.goto(`${LIST}/${finished}`);
  await shows(page, '1–4 of 4');
  let failures = 0;
  page.on('requestfailed', () => (failures += 1));
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Overview' }).click();
  await shows(page, 'Connection lost');
  expect(failures).toBeLessThan(40);
  await page.unroute('**/api/**');
  await shows(page, 'Your spend this month');
  await page.getByRole('table', { name: 'Latest evaluations' }).waitFor();
  await page.getByText('Connection lost').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});
