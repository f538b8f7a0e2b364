/** The sign-in of the console, and the pages before it. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { ConsoleBrowser, expectAccessible, fillSignIn } from './browser.ts';

const server = await startTestServer();
const browser = await ConsoleBrowser.open(server);

test('the sign-in leads to the page that was asked for', async () => {
  const { page, errors } = await browser.visit('/o/main/w/main/evaluations');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in');
  await expectAccessible(page);
  await fillSignIn(page);
  await expect.poll(() => new URL(page.url()).pathname).toBe('/o/main/w/main/evaluations');
  expect(errors).toEqual([]);
});
