/** The pages of sessions: the list, and one session with its conversation. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { assistant, numbered, saveSession, user } from '../../server/test/transcripts.ts';
import { ConsoleBrowser, expectAccessibleInBothSchemes } from './browser.ts';
import { call, PIXEL, PLACE, result, saveFullSession } from './session-data.ts';

const TEN_MB = 10_000_000;

const server = await startTestServer();
const owner = server.as(server.owner);
const browser = await ConsoleBrowser.open(server);

test('the session list shows the command that creates the first session when there is none', async () => {
  const { page, errors } = await browser.signIn(`${PLACE}/sessions`);
  await page.getByText('No sessions yet').waitFor();
  expect(await page.locator('pre').textContent()).toContain(
    `${browser.url}/api/v1/org/main/ws/main/sessions`,
  );
  await expectAccessibleInBothSchemes(page);
  expect(errors).toEqual([]);
});

test('the session list narrows by facet and search, and shows the key facts of a row', async () => {
  await saveFullSession(owner, { title: 'Repair the lexer' });
  const other = await saveSession(owner, { title: 'Write a poem', model: 'acme/small', agent: 'poet' });
  await other.append([user('A poem about the sea')]);
  const { page, errors } = await browser.signIn(`${PLACE}/sessions`);
  const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
  await rows.filter({ hasText: 'Repair the lexer' }).waitFor();
  await page.getByRole('checkbox', { name: 'acme/small' }).check();
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('model')).toBe('["acme/small"]');
  // A second value of the same facet can be chosen too.
  await page.getByRole('checkbox', { name: 'acme/large' }).check();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('checkbox', { name: 'acme/large' }).uncheck();
  await page.getByRole('checkbox', { name: 'acme/small' }).uncheck();
  await page.getByLabel('Search sessions').fill('poem about');
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('Write a poem')]);
  await rows.first().click();
  const panel = page.getByRole('complementary', { name: 'Write a poem' });
  expect(await panel.textContent()).toContain('poet');
  await expectAccessibleInBothSchemes(page);
  // The address holds the state of the page.
  await page.reload();
  await panel.waitFor();
  await panel.getByRole('link', { name: 'Open the session' }).click();
  await page.getByRole('heading', { name: 'Write a poem' }).waitFor();
  expect(errors).toEqual([]);
});

test('a session is found, opened and read with the keyboard alone', async () => {
  const session = await saveFullSession(owner, { title: 'Read me with keys' });
  const { page, errors } = await browser.signIn(`${PLACE}/sessions`);
  const row = page.getByRole('row').filter({ hasText: 'Read me with keys' });
  await row.waitFor();
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    if ((await page.locator('tr:focus').count()) > 0) break;
  }
  for (let pressed = 0; pressed < 10; pressed++) {
    if ((await row.and(page.locator(':focus')).count()) > 0) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === `${PLACE}/sessions/${session.id}`);
  await page.getByRole('article').first().waitFor();
  const outline = page.getByRole('listbox', { name: 'Outline of the conversation' });
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    if ((await outline.and(page.locator(':focus')).count()) > 0) break;
  }
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('2');
  expect(await page.locator('article[data-current]').getAttribute('data-seq')).toBe('2');
  await page.keyboard.press('Tab');
  await page.keyboard.type('skips the last');
  await expect.poll(() => page.getByRole('status').allTextContents()).toContain('1 message');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('article[data-current]').getAttribute('data-seq')).toBe('5');
  expect(errors).toEqual([]);
});

test('a session shows calls with their results, thoughts, images, compactions and raw messages', async () => {
  const session = await saveFullSession(owner);
  const { page, errors } = await browser.signIn(`${PLACE}/sessions/${session.id}`);
  const bash = page.getByRole('region', { name: 'Call of bash' });
  await bash.getByText('AssertionError: expected 2 to be 3').waitFor();
  expect(await bash.getAttribute('data-error')).toBe('true');
  const read = page.getByRole('region', { name: 'Call of read_file' });
  expect(await read.getByText('60: const value59').count()).toBe(0);
  await read.getByRole('button', { name: /^Result/ }).click();
  await read.getByText('60: const value59').waitFor();
  await page.getByRole('button', { name: 'Thinking' }).click();
  await page.getByText('The user wants to know why.').waitFor();
  expect(await page.locator('article img').getAttribute('src')).toBe(PIXEL);
  await page.getByText('Compacted: the model sees a summary').waitFor();
  await page.getByRole('option', { name: 'Summary of 1 to 4' }).click();
  const summary = page.getByLabel('User, message 8');
  await summary.getByText('Summary of messages 1 to 4').waitFor();
  await summary.getByRole('button', { name: 'Raw JSON' }).click();
  await summary.getByText('"compacted_up_to_seq": 4').waitFor();
  await page.getByRole('button', { name: 'System prompt' }).click();
  await page
    .getByLabel('System prompt', { exact: true })
    .getByText('You repair programs. Be brief.')
    .waitFor();
  // Text from right to left begins on the right, whatever stands around it.
  await page.getByRole('log').getByText('מה השתנה בקובץ?').waitFor();
  expect(await isAtRight(page, 'article[data-seq="6"] .markdown p')).toBe(true);
  expect(await isAtRight(page, 'article[data-seq="9"] .markdown p')).toBe(false);
  await page.getByRole('option', { name: /^bash/ }).click();
  await bash.waitFor();
  await expectAccessibleInBothSchemes(page);
  expect(errors).toEqual([]);
});

/** Whether the text of a paragraph is aligned right. The script is a string, because this file is type-checked without the types of the DOM. */
const isAtRight = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`{
    const node = document.querySelector(${JSON.stringify(selector)});
    const range = document.createRange();
    range.selectNodeContents(node);
    const [text, box] = [range.getBoundingClientRect(), node.getBoundingClientRect()];
    box.right - text.right < text.left - box.left;
  }`);

test('a session leads from error to error, is archived, and downloaded as a trajectory', async () => {
  const session = await saveSession(owner, { title: 'Errors' });
  const turns = Array.from({ length: 120 }, (_, turn) => [
    assistant('', { tool_calls: [call(`c${turn}`, 'bash', { command: 'make' })] }),
    result(`c${turn}`, turn === 30 || turn === 110 ? 'exit code: 2\nmake: *** no rule' : 'ok'),
  ]).flat();
  await session.append(turns);
  const { page, errors } = await browser.signIn(`${PLACE}/sessions/${session.id}`);
  await page.getByRole('article').first().waitFor();
  for (const seq of [62, 222, 62]) {
    await page.getByRole('button', { name: 'Next error' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(String(seq));
    // The result is shown with its call, which is the message before.
    await page
      .locator(`article[data-seq="${seq - 1}"][data-current] [data-error]`)
      .first()
      .waitFor();
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Trajectory (ATIF)' }).click(),
  ]);
  const trajectory = JSON.parse(readFileSync(await download.path(), 'utf8'));
  expect(trajectory.steps).toHaveLength(120);
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Unarchive' }).waitFor();
  expect((await owner.get(session.path)).body.archived_at).not.toBeNull();
  expect(errors).toEqual([]);
});

test('a session shows messages as they are stored, and counts them when its end is not shown', async () => {
  const session = await saveSession(owner, { title: 'Live' });
  await session.append(numbered(150));
  const { page, errors } = await browser.signIn(`${PLACE}/sessions/${session.id}`);
  await page.getByLabel('User, message 1', { exact: true }).waitFor();
  // The stream is open when a first message arrives.
  let sent = 0;
  await expect
    .poll(async () => {
      await session.append([user(`live ${++sent}`)]);
      return page.getByRole('button', { name: /new messages?$/ }).count();
    })
    .toBe(1);
  await page.getByRole('button', { name: /new messages?$/ }).click();
  await page.getByLabel(`User, message ${150 + sent}`, { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /new messages?$/ }).count()).toBe(0);
  // At the end it follows.
  await session.append([assistant('followed')]);
  await page.getByRole('log').getByText('followed').waitFor();
  expect(await page.getByRole('button', { name: /new messages?$/ }).count()).toBe(0);
  await session.compact(10);
  await page.getByRole('log').getByText('Summary of messages 1 to 10').waitFor();
  await session.rewind(5);
  await expect.poll(() => page.getByRole('log').getByRole('article').count()).toBe(4);
  expect(errors).toEqual([]);
});

test('long arguments of a tool call and a result of 10 MB are shown in parts, and saved whole', async () => {
  const session = await saveSession(owner, { title: 'Large result' });
  const text = 'line of output\n'.repeat(TEN_MB / 15);
  const args = { command: 'x'.repeat(30_000) };
  await session.append([assistant('', { tool_calls: [call('c1', 'bash', args)] }), result('c1', text)]);
  const { page, errors } = await browser.signIn(`${PLACE}/sessions/${session.id}`);
  await page.getByRole('button', { name: /^Result · 10\.0 MB/ }).click();
  const shown = page.getByLabel('Result, message 2');
  expect((await shown.textContent())?.length).toBe(20_000);
  for (let pressed = 0; pressed < 6; pressed++) await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(async () => (await shown.textContent())?.length).toBe(140_000);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toBe(text);
  await page.getByRole('button', { name: /^Arguments · 30\.0 KB/ }).click();
  await page.getByRole('button', { name: 'Show more' }).first().click();
  await expect.poll(() => page.getByLabel('Arguments of bash').textContent()).toBe(JSON.stringify(args));
  expect(errors).toEqual([]);
});

test('a session that does not exist leads back to the list', async () => {
  const { page } = await browser.signIn(`${PLACE}/sessions/01900000-0000-7000-8000-000000000000`);
  await page.getByRole('link', { name: 'Back to all sessions' }).click();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
});
