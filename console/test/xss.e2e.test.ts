/** Text of users that would run as a program if a page took it for HTML: it is shown as text, wherever it stands. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { assistant, saveSession, user } from '../../server/test/transcripts.ts';
import { ConsoleBrowser } from './browser.ts';
import { hex, PLACE, pushSpans, result } from './session-data.ts';
import { expectHarmless, PAYLOADS } from './xss-payloads.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
const browser = await ConsoleBrowser.open(server);

async function watch(path: string) {
  const visit = await browser.signIn(path);
  const dialogs: string[] = [];
  visit.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  return { ...visit, dialogs };
}

test('the session list shows titles, agents, models and labels as text', async () => {
  for (const payload of PAYLOADS.slice(0, 50))
    await saveSession(owner, {
      title: payload.slice(0, 255),
      agent: payload.slice(0, 255),
      model: payload.slice(0, 255),
      labels: { [payload.replaceAll(':', '').slice(0, 100)]: [payload.slice(0, 255)] },
    });
  const { page, errors, dialogs } = await watch(`${PLACE}/sessions`);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
  const text = await page.locator('tbody').innerText();
  for (const payload of PAYLOADS.slice(0, 50)) expect(text).toContain(payload.trim());
  await page.locator('tbody tr').first().click();
  await page.getByRole('complementary').waitFor();
  await expectHarmless(page);
  expect([errors, dialogs]).toEqual([[], []]);
});

test('a conversation shows messages, thoughts, tools, arguments and results as text', async () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(60);
  const session = await saveSession(owner, { title: 'Payloads' });
  for (const [index, payload] of PAYLOADS.entries())
    await session.append([
      user(payload),
      assistant(payload, {
        metadata: {
          reasoning_content: payload,
          openai: { content: [{ type: 'image_url', image_url: { url: payload } }] },
        },
        tool_calls: [{ id: `c${index}`, name: payload, arguments: JSON.stringify({ payload }) }],
      }),
      result(`c${index}`, payload),
    ]);
  const { page, errors, dialogs } = await watch(`${PLACE}/sessions/${session.id}`);
  await page.getByRole('article').first().waitFor();
  const texts = new Map<string, string>();
  for (let isEnd = false; !isEnd; ) {
    await expect.poll(() => page.locator('[role=log] [aria-busy]').count()).toBe(0);
    for (const [seq, text] of await readMessages(page)) texts.set(seq, text);
    await expectHarmless(page);
    isEnd = await scrollOn(page);
  }
  for (const [index, payload] of PAYLOADS.entries()) {
    const text = texts.get(String(index * 3 + 2)) ?? '';
    // The thought, the name of the tool and its result; the arguments have it as JSON.
    expect(text.split(payload).length).toBeGreaterThan(3);
    expect(text).toContain(JSON.stringify(payload));
    expect(texts.has(String(index * 3 + 1))).toBe(true);
  }
  expect([errors, dialogs]).toEqual([[], []]);
});

/** The messages that are in the page, with their thoughts unfolded. */
const readMessages = (page: Page): Promise<[seq: string, text: string][]> =>
  page.evaluate(`(async () => {
    for (const button of document.querySelectorAll('article button[aria-expanded=false]')) button.click();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [...document.querySelectorAll('article')].map((one) => [one.dataset.seq, one.textContent]);
  })()`);

/** @returns whether that was the end */
const scrollOn = (page: Page): Promise<boolean> =>
  page.evaluate(`(async () => {
    const element = document.querySelector('[role=log]');
    const before = element.scrollTop;
    element.scrollTop += element.clientHeight * 0.7;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return element.scrollTop === before;
  })()`);

test('a trace shows names, attributes, events and status of spans as text', async () => {
  const traceId = hex(16);
  const ids = PAYLOADS.map(() => hex(8));
  await pushSpans(
    owner,
    PAYLOADS.map((payload, index) => ({
      traceId,
      spanId: ids[index] ?? '',
      name: payload,
      startMs: index,
      durationMs: 1,
      error: payload,
      attributes: { [payload]: payload, 'gen_ai.request.model': payload, 'gen_ai.operation.name': 'chat' },
    })),
  );
  const { page, errors, dialogs } = await watch(`${PLACE}/traces`);
  await page.locator('tbody tr').first().waitFor();
  await expectHarmless(page);
  await page.locator('tbody tr').first().click();
  await page.getByRole('link', { name: 'Open the trace' }).click();
  await page.getByRole('treeitem').first().waitFor();
  await page.getByRole('tree').focus();
  for (const [index, payload] of PAYLOADS.entries()) {
    await page.keyboard.press('ArrowDown');
    await page
      .locator('aside dd')
      .getByText(ids[index] ?? '', { exact: true })
      .waitFor();
    expect(await page.locator('aside').textContent()).toContain(payload);
    await expectHarmless(page);
  }
  expect([errors, dialogs]).toEqual([[], []]);
});
