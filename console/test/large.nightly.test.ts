/** Limits of time, memory and DOM size for very long sessions and very large traces, measured in Chromium. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { assistant, saveSession, user } from '../../server/test/transcripts.ts';
import { ConsoleBrowser } from './browser.ts';
import { call, hex, PLACE, pushSpans, result, type SentSpan } from './session-data.ts';

const MESSAGES = 100_000;
const SPANS = 30_000;
const MAX_FIRST_ROW_MS = 1_000;
const MAX_NODES = 5_000;
const MAX_HEAP_BYTES = 150_000_000;
const MAX_TASK_MS = 200;
/** How often scrolling stops between the top and the bottom. */
const STOPS = 150;

const server = await startTestServer();
const owner = server.as(server.owner);
const browser = await ConsoleBrowser.open(server);

/** Turns of four messages, with Markdown, a tool call and its result, and an error now and then. */
function makeTurn(turn: number): object[] {
  const text = `Step **${turn}** of the work. ${'The parser reads one token after the other. '.repeat(turn % 9)}`;
  return [
    user(`Question ${turn}: what does part ${turn} do?`),
    assistant(`${text}\n\n- first\n- second \`code\`\n`, {
      tool_calls: [call(`c${turn}`, 'bash', { command: `grep -n part${turn} src/*.ts` })],
    }),
    result(
      `c${turn}`,
      turn % 1_000 === 999 ? 'exit code: 1' : `src/part${turn}.ts\n`.repeat(1 + (turn % 30)),
    ),
    assistant(`It is in \`part${turn}.ts\`.`),
  ];
}

async function makeSession(): Promise<string> {
  const session = await saveSession(owner, { title: 'A hundred thousand messages' });
  for (let turn = 0; turn < MESSAGES / 4; turn += 125) {
    const messages = Array.from({ length: 125 }, (_, index) => makeTurn(turn + index)).flat();
    expect((await session.append(messages)).status).toBe(201);
  }
  return session.id;
}

/** Agents that call models and tools: three levels, and an error in every thousandth span. */
async function makeTrace(): Promise<string> {
  const traceId = hex(16);
  const root = hex(8);
  const spans: SentSpan[] = [{ traceId, spanId: root, name: 'run', startMs: 0, durationMs: SPANS }];
  let agent = root;
  for (let index = 1; index < SPANS; index++) {
    const isAgent = index % 50 === 1;
    const spanId = hex(8);
    spans.push({
      traceId,
      spanId,
      parentSpanId: isAgent ? root : agent,
      name: isAgent ? `invoke_agent ${index}` : `chat ${index}`,
      startMs: index,
      durationMs: isAgent ? 49 : 1,
      attributes: {
        'gen_ai.operation.name': isAgent ? 'invoke_agent' : 'chat',
        'gen_ai.request.model': 'acme/large',
        'gen_ai.prompt': 'Why? '.repeat(40),
      },
      ...(index % 1_000 === 0 && { error: 'refused' }),
    });
    if (isAgent) agent = spanId;
  }
  for (let first = 0; first < SPANS; first += 5_000)
    await pushSpans(owner, spans.slice(first, first + 5_000));
  return traceId;
}

interface Figures {
  readonly firstRowMs: number;
  readonly maxNodes: number;
  readonly heapMb: number;
  readonly longestTaskMs: number;
}

/** Scripts for the page are strings, because this file is type-checked without the types of the DOM. */
const WATCH_TASKS = `{
  globalThis.tasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) tasks.push(entry.duration);
  }).observe({ type: 'longtask' });
}`;

/** Some screens in a row, as with a wheel, from a share of the whole height on. */
const SCROLL = `async (element, share) => {
  for (let step = 0; step < 4; step++) {
    const end = element.scrollHeight - element.clientHeight;
    element.scrollTop = Math.min(end, share * end + step * element.clientHeight * 0.8);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
  }
  return document.querySelectorAll('*').length;
}`;

/** Opens a page and scrolls from the top to the bottom. */
async function measure(page: Page, path: string, scroller: string, row: string): Promise<Figures> {
  await page.goto(path);
  await page.locator(row).first().waitFor();
  // The second time nothing has to be loaded but data: the programs are in the cache of the browser.
  await page.reload();
  await page.locator(row).first().waitFor();
  const firstRowMs = await page.evaluate<number>(`performance.getEntriesByName('first-row')[0].startTime`);
  await page.evaluate(WATCH_TASKS);
  let maxNodes = 0;
  for (let stop = 0; stop <= STOPS; stop++) {
    const nodes = await page.evaluate<number>(
      `(${SCROLL})(document.querySelector('${scroller}'), ${stop / STOPS})`,
    );
    maxNodes = Math.max(maxNodes, nodes);
  }
  await expect.poll(() => page.locator(`${scroller} [aria-busy]`).count()).toBe(0);
  const heapBytes = await page.evaluate<number>('performance.memory.usedJSHeapSize');
  const longestTaskMs = await page.evaluate<number>('Math.max(0, ...tasks)');
  return {
    firstRowMs: Math.round(firstRowMs),
    maxNodes,
    heapMb: Math.round(heapBytes / 1e5) / 10,
    longestTaskMs: Math.round(longestTaskMs),
  };
}

/** Marks when the first row is in the DOM, because browsers do not report when a single element is painted. */
const watchFirstRow = (page: Page, row: string): Promise<unknown> =>
  page.addInitScript(`{
    const look = () => {
      if (document.querySelector(${JSON.stringify(row)})) performance.mark('first-row');
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }`);

function expectBounds(what: string, { firstRowMs, maxNodes, heapMb, longestTaskMs }: Figures): void {
  console.log(
    `${what}: first row after ${firstRowMs} ms, at most ${maxNodes} nodes, heap of ${heapMb} MB, longest task ${longestTaskMs} ms`,
  );
  expect(firstRowMs).toBeLessThanOrEqual(MAX_FIRST_ROW_MS);
  expect(maxNodes).toBeLessThanOrEqual(MAX_NODES);
  expect(heapMb).toBeLessThanOrEqual(MAX_HEAP_BYTES / 1e6);
  expect(longestTaskMs).toBeLessThanOrEqual(MAX_TASK_MS);
}

test('a session of 100,000 messages opens and scrolls within its bounds', async () => {
  const id = await makeSession();
  const { page, errors } = await browser.signIn(`${PLACE}/sessions`);
  await watchFirstRow(page, 'article[data-seq]');
  const figures = await measure(page, `${PLACE}/sessions/${id}`, '[role=log]', 'article[data-seq]');
  expectBounds(`${MESSAGES} messages`, figures);
  await page.getByText(`It is in part${MESSAGES / 4 - 1}.ts`).waitFor();
  // Any position can be reached: the search goes through all pages, and errors are found from the beginning.
  await page.getByLabel('Search in this conversation').fill('what does part 24998 do');
  await expect
    .poll(() => page.getByRole('status').last().textContent(), { timeout: 120_000 })
    .toBe('1 message');
  await page.getByLabel('Search in this conversation').press('Enter');
  await page.getByLabel('User, message 99993', { exact: true }).waitFor();
  expect(errors).toEqual([]);
});

test('a trace of 30,000 spans opens and scrolls within its bounds', async () => {
  const traceId = await makeTrace();
  const { page, errors } = await browser.signIn(`${PLACE}/traces`);
  await watchFirstRow(page, '[role=treeitem]');
  const figures = await measure(page, `${PLACE}/traces/${traceId}`, '[role=tree]', '[role=treeitem]');
  await expect
    .poll(() => page.getByText('30,000 spans', { exact: true }).count(), { timeout: 120_000 })
    .toBe(1);
  const whole = await measure(page, `${PLACE}/traces/${traceId}`, '[role=tree]', '[role=treeitem]');
  await expect
    .poll(() => page.getByText('30,000 spans', { exact: true }).count(), { timeout: 120_000 })
    .toBe(1);
  expectBounds(`${SPANS} spans while they are read`, figures);
  expectBounds(`${SPANS} spans again`, whole);
  await page.getByRole('button', { name: 'Next error (29)' }).click();
  await page.getByText('chat 1000', { exact: true }).first().waitFor();
  expect(errors).toEqual([]);
});
