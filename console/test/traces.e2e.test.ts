/** The pages of traces: the list, and one trace with its spans. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { saveSession } from '../../server/test/transcripts.ts';
import { ConsoleBrowser, expectAccessibleInBothSchemes } from './browser.ts';
import { hex, PLACE, pushSpans, pushTrace } from './session-data.ts';

/** The level in the tree of each span that `pushTrace` sends. */
const LEVELS = ['1', '2', '2', '3', '2'];

const server = await startTestServer();
const owner = server.as(server.owner);
const browser = await ConsoleBrowser.open(server);

test('the trace list shows how programs send their spans when there is none', async () => {
  const { page, errors } = await browser.signIn(`${PLACE}/traces`);
  await page.getByText('No traces yet').waitFor();
  expect(await page.locator('pre').textContent()).toContain(
    `OTEL_EXPORTER_OTLP_ENDPOINT=${browser.url}/api/v1/org/main/otel`,
  );
  await expectAccessibleInBothSchemes(page);
  expect(errors).toEqual([]);
});

test('the trace list narrows by status, type, session, time and text', async () => {
  const session = await saveSession(owner);
  const { traceId } = await pushTrace(owner, { 'gen_ai.conversation.id': session.id });
  await pushSpans(owner, [
    { traceId: hex(16), spanId: hex(8), name: 'GET /health', startMs: 5_000, durationMs: 3 },
  ]);
  const { page, errors } = await browser.signIn(`${PLACE}/traces`);
  const rows = page.getByRole('table', { name: 'Traces' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'error' }).click();
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('repair the parser')]);
  for (const filter of ['type=llm', `session=${session.id}`]) {
    await page.goto(`${PLACE}/traces?${filter}`);
    await expect.poll(() => rows.count()).toBe(1);
  }
  await page.goto(`${PLACE}/traces?from=2026-01-10T00:00:01Z`);
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('GET /health')]);
  await page.goto(`${PLACE}/traces`);
  await page.getByLabel('Search traces').fill('parser');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.first().click();
  const panel = page.getByRole('complementary', { name: 'repair the parser' });
  await panel.getByText('acme/large').waitFor();
  await expectAccessibleInBothSchemes(page);
  await panel.getByRole('link', { name: 'Open the trace' }).click();
  await page.waitForURL((url) => url.pathname === `${PLACE}/traces/${traceId}`);
  expect(errors).toEqual([]);
});

test('a trace shows its spans over time, what is known of each, and the next error', async () => {
  const { traceId, tool } = await pushTrace(owner);
  const { page, errors } = await browser.signIn(`${PLACE}/traces/${traceId}`);
  const items = page.getByRole('treeitem');
  await expect.poll(() => items.count()).toBe(5);
  expect(await items.evaluateAll((all) => all.map((one) => one.getAttribute('aria-level')))).toEqual(LEVELS);
  // The bar of the tool begins after 420 of 900 ms and takes 200.
  const bar = page.locator(`#span-${tool} [data-type=tool][style]`);
  const [own, track] = [await bar.boundingBox(), await bar.locator('..').boundingBox()];
  if (!own || !track) throw new Error('The bar of the tool is not shown.');
  expect((own.x - track.x) / track.width).toBeCloseTo(420 / 900, 2);
  expect(own.width / track.width).toBeCloseTo(200 / 900, 2);
  await page.getByRole('complementary', { name: 'Summary' }).getByText('acme/large').waitFor();
  await expectAccessibleInBothSchemes(page);
  await page.getByRole('button', { name: 'Next error (1)' }).click();
  const detail = page.getByRole('complementary', { name: 'Span', exact: true });
  await detail.getByText('exit code 1').waitFor();
  expect(new URL(page.url()).searchParams.get('span')).toContain(tool);
  await expectAccessibleInBothSchemes(page);
  await page.getByLabel('Search spans').fill('chat');
  await page.getByText('2 spans', { exact: true }).waitFor();
  await page.getByLabel('Search spans').press('Enter');
  await detail.getByLabel('Output, message 1').getByText('Because.').waitFor();
  expect(errors).toEqual([]);
});

test('a trace is found, opened and read with the keyboard alone', async () => {
  const { traceId, root, tool } = await pushTrace(owner);
  const { page, errors } = await browser.signIn(`${PLACE}/traces?search=${traceId}`);
  await page.getByRole('row').filter({ hasText: 'repair the parser' }).waitFor();
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    if ((await page.locator('tr:focus').count()) > 0) break;
  }
  await page.keyboard.press('Enter');
  const tree = page.getByRole('tree', { name: 'Spans' });
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(5);
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    if ((await tree.and(page.locator(':focus')).count()) > 0) break;
  }
  const selected = () => tree.getAttribute('aria-activedescendant');
  for (const [key, id] of [
    ['ArrowDown', root],
    ['ArrowDown', undefined],
    ['ArrowDown', tool],
  ] as const) {
    const before = await selected();
    await page.keyboard.press(key);
    await expect.poll(selected).not.toBe(before);
    if (id) await expect.poll(selected).toBe(`span-${id}`);
  }
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(4);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(selected).toBe(`span-${root}`);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(4);
  expect(errors).toEqual([]);
});

test('a trace shows spans without a root, text from right to left, and attributes of 10 MB', async () => {
  const traceId = hex(16);
  const [one, other] = [hex(8), hex(8)];
  await pushSpans(owner, [
    {
      traceId,
      spanId: one,
      parentSpanId: other,
      name: 'שלום עולם',
      startMs: 0,
      durationMs: 10,
      attributes: { output: 'x'.repeat(9_000_000) },
    },
    { traceId, spanId: other, parentSpanId: one, name: 'round', startMs: 5, durationMs: 5 },
  ]);
  const { page, errors } = await browser.signIn(`${PLACE}/traces/${traceId}?span=${one}`);
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(2);
  await page.getByRole('heading', { name: 'שלום עולם', level: 2 }).waitFor();
  const shown = page.getByLabel('output', { exact: true });
  expect((await shown.textContent())?.length).toBe(20_000);
  expect(errors).toEqual([]);
});
