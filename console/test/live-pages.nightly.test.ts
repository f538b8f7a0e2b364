/** Fifty pages of one browser that follow the same evaluation: they share its stream, and poll nothing. */
import type { Page } from 'playwright-core';
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
  const { context, page } = await browser.signIn('/o/main/w/main/traces');
  let requests: string[] = [];
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) requests.push(pathname);
  });
  const pages: Page[] = [];
  while (pages.length < PAGES) {
    const next = pages.length === 0 ? page : await context.newPage();
    await next.goto(path);
    await next.getByRole('heading', { name: 'Shared by fifty' }).waitFor();
    pages.push(next);
  }
  const streams = requests.filter((one) => one.endsWith('/events'));
  console.info(`${streams.length} event stream was opened by ${PAGES} pages`);
  expect(streams).toHaveLength(1);

  requests = [];
  const before = process.cpuUsage();
  const began = performance.now();
  await page.waitForTimeout(20_000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1_000 / (performance.now() - began);
  console.info(
    `${PAGES} pages at rest: ${(100 * share).toFixed(1)} % of a core for the server, worker and test; ${requests.length} requests in 20 s`,
  );
  expect(requests).toEqual([]);

  const changed = performance.now();
  await world.server.as(world.server.owner).patch(`${W}/evaluation/${id}`, { paused: true });
  for (const one of pages) await one.getByText('Paused', { exact: false }).first().waitFor();
  console.info(`every page showed a change after ${Math.round(performance.now() - changed)} ms`);
});

test('more pages than streams take turns, so that each shows what happened', async () => {
  const world = await startEvaluationWorld();
  const browser = await ConsoleBrowser.open(world.server);
  await world.publishTask('slow', 'sleep 600; echo done', { files: { 'verify.sh': 'true\n' } });
  const { context } = await browser.signIn('/o/main/w/main/traces');
  const pages: Page[] = [];
  const ids: string[] = [];
  for (let count = 0; count < 7; count++) {
    const id = await world.evaluate({ task_names: ['slow'], name: `Evaluation ${count}` });
    const page = await context.newPage();
    await page.goto(`/o/main/w/main/evaluations/${id}`);
    await page.getByRole('heading', { name: `Evaluation ${count}` }).waitFor();
    ids.push(id);
    pages.push(page);
  }
  const began = performance.now();
  for (const id of ids) await world.server.as(world.server.owner).post(`${W}/evaluation/${id}/cancel`);
  for (const page of pages) await page.getByText('Cancelled').first().waitFor({ timeout: 60_000 });
  console.info(`seven pages showed their change after ${Math.round(performance.now() - began)} ms`);
});
