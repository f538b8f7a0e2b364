/** Fifty pages of one browser that follow the same evaluation: they share its stream, and poll nothing. */
import { expect, test } from 'vitest';
import { startEvaluationWorld, W } from '../../server/test/evaluation-world.ts';
import { ConsoleBrowser } from './browser.ts';

const PAGES = 50;

test('fifty live pages of an evaluation share one event stream, and read nothing again while it is quiet', async () => {
  const world = await startEvaluationWorld();
  const browser = await ConsoleBrowser.open(world.server);
  await world.publishTask('slow', 'sleep 600; echo done', { files: { 'verify.sh': 'true\n' } });
  const id = await world.evaluate({ task_names: ['slow'], repetitions: 2, name: 'Shared by fifty' });
  const path = `/o/main/w/main/evaluations/${id}`;
  const { context, page } = await browser.signIn(path);
  await page.getByRole('heading', { name: 'Shared by fifty' }).waitFor();
  let requests: string[] = [];
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) requests.push(pathname);
  });
  const pages = [page];
  for (let count = 1; count < PAGES; count++) {
    const next = await context.newPage();
    await next.goto(path);
    await next.getByRole('heading', { name: 'Shared by fifty' }).waitFor();
    pages.push(next);
  }
  const streams = requests.filter((one) => one.endsWith('/events'));
  console.info(`${streams.length} event streams were opened by ${PAGES - 1} further pages`);
  expect(streams).toEqual([]);

  requests = [];
  const before = process.cpuUsage();
  const began = performance.now();
  await page.waitForTimeout(20_000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1_000 / (performance.now() - began);
  const others = requests.filter((one) => !one.endsWith('/evaluations'));
  console.info(
    `${PAGES} pages at rest: ${(100 * share).toFixed(1)} % of a core for the server, worker and test; ${requests.length} requests in 20 s`,
  );
  expect(others).toEqual([]);

  const changed = performance.now();
  await world.server.as(world.server.owner).patch(`${W}/evaluation/${id}`, { status: 'paused' });
  for (const one of pages) await one.getByText('Paused', { exact: false }).first().waitFor();
  console.info(`every page showed a change after ${Math.round(performance.now() - changed)} ms`);
});
