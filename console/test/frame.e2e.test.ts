/** What is around every page: navigation, switch, command palette, running jobs, connection. */

import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { ConsoleBrowser, expectAccessible } from './browser.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
await owner.post('/org/main/ws', { name: 'Second Workspace' });
await owner.post('/org/main/ws/main/projects', { name: 'Side Project' });
const sessionId = crypto.randomUUID();
await owner.post('/org/main/ws/main/sessions', {
  id: sessionId,
  model: 'acme/large',
  title: 'Harbour master',
});
const browser = await ConsoleBrowser.open(server);
const DIST = join(import.meta.dirname, '../dist');
const pathOf = (url: string) => new URL(url).pathname;

test('the command palette opens pages and sessions by name and by id, by keyboard', async () => {
  const { page, context, errors } = await browser.signIn('/');
  const search = async (text: string, result: string) => {
    await page.getByRole('button', { name: 'Search Ctrl K' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages, names and IDs').fill(text);
    await page.getByRole('button', { name: result }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByPlaceholder('Search pages, names and IDs').waitFor({ state: 'hidden' });
  };
  await search('evaluat', 'New evaluation');
  await expect.poll(() => pathOf(page.url())).toMatch(/\/evaluations$/);
  await search('harbour', 'Harbour master');
  await expect.poll(() => pathOf(page.url())).toBe(`/o/main/w/main/sessions/${sessionId}`);
  await page.goto('/o/main/w/main');
  await search(sessionId, `Session ${sessionId}`);
  await expect.poll(() => pathOf(page.url())).toBe(`/o/main/w/main/sessions/${sessionId}`);
  expect(errors).toEqual([]);
  await context.close();
});

test('the first load of the overview is at most 300 KB of gzip', async () => {
  const { page, context } = await browser.signIn('/');
  const files = new Set<string>();
  page.on('request', (request) => files.add(pathOf(request.url())));
  await page.goto('/o/main/w/main');
  await page.waitForLoadState('networkidle');
  const assets = [...files].filter((path) => path.startsWith('/assets/'));
  const bytes = assets.map(
    (path) => statSync(join(DIST, existsSync(join(DIST, `${path}.gz`)) ? `${path}.gz` : path)).size,
  );
  const total = bytes.reduce((sum, size) => sum + size, 0);
  console.info(`${assets.length} files, ${Math.round(total / 1024)} KB of gzip`);
  expect(assets.length).toBeGreaterThan(3);
  expect(total).toBeLessThanOrEqual(300 * 1024);
  await context.close();
});

test('the switch leads to another workspace, which is remembered, and narrows lists to a project', async () => {
  const { page, context } = await browser.signIn('/');
  await page.getByRole('button', { name: 'Project: All projects' }).click();
  await page.getByRole('menuitem', { name: 'Side Project' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('project')).toBe('side-project');
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('project')).toBe('side-project');
  await page.getByRole('button', { name: /^Workspace/ }).click();
  await page.getByRole('menuitem', { name: 'Second Workspace' }).click();
  await expect.poll(() => pathOf(page.url())).toBe('/o/main/w/second-workspace');
  expect(new URL(page.url()).search).toBe('');
  // The address changes before the workspace has been read, and only then is it remembered.
  await page.waitForFunction(() => localStorage.getItem('drydock.workspace') === 'main/second-workspace');
  await page.goto('/');
  await expect.poll(() => pathOf(page.url())).toBe('/o/main/w/second-workspace');
  await context.close();
});

test('a page that does not exist, or is of an organization of others, says so and leads back', async () => {
  const { page, context } = await browser.signIn('/o/main/w/main/nothing');
  await page.getByText('Page not found').waitFor();
  await page.goto('/o/strangers/w/main');
  await page.getByRole('alert').first().waitFor();
  await expectAccessible(page);
  await page
    .getByRole('link', { name: /^Back to/ })
    .first()
    .click();
  await expect.poll(() => pathOf(page.url())).toMatch(/^\/o\/main\/w\//);
  await context.close();
});

test('a restart of the server shows a notice, and then the page again, without an error', async () => {
  const { page, context, errors } = await browser.signIn('/o/main/w/main/sessions');
  await page.getByText('Harbour master').first().waitFor();
  const listener = server.app.server;
  const { port } = listener.address() as AddressInfo;
  const closed = once(listener, 'close');
  listener.close();
  listener.closeAllConnections();
  await closed;
  await page.getByPlaceholder('Title, preview or message').fill('harbour');
  await page.getByRole('status').getByText('Connection lost, trying again').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  listener.listen(port, '127.0.0.1');
  await page.getByText('Connection lost, trying again').waitFor({ state: 'hidden' });
  await page.getByText('Harbour master').first().waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

test('a page of one user is reloaded when another user signs in with the same browser', async () => {
  const { body: invitation } = await owner.post('/org/main/invitations', {
    email_address: 'bea@example.com',
    role: 'member',
  });
  const { page, context } = await browser.signIn('/o/main/w/main/sessions');
  await page.getByText('Harbour master').first().waitFor();
  const data = {
    email_address: 'bea@example.com',
    password: 'a long enough password',
    invitation_token: new URL(invitation.url).searchParams.get('token'),
  };
  expect((await context.request.post('/api/v1/auth/browser/signup', { data })).status()).toBe(201);
  // The access token of the page is not valid any more, so that the page asks for the next one.
  let isRefused = false;
  await page.route('**/api/v1/org/**', (route) => {
    if (isRefused) return route.continue();
    isRefused = true;
    return route.fulfill({
      status: 401,
      json: { code: 401, type: 'expired_token_error', detail: 'expired' },
    });
  });
  await page.getByRole('link', { name: 'Traces', exact: true }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  expect(await page.getByText('Harbour master').count()).toBe(0);
  await context.close();
});

test('a page that could not be loaded is loaded by "Try again"', async () => {
  const { page, context } = await browser.signIn('/o/main/w/main/sessions');
  await page.route('**/auth/browser/refresh', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').waitFor();
  await page.unroute('**/auth/browser/refresh');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Harbour master').first().waitFor();
  await context.close();
});
