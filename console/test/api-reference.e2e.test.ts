/** The API reference in a real browser: what it shows of a request and its response can be read. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../server/test/harness.ts';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeout.ts';
import { ConsoleBrowser } from './browser.ts';

const CREATE_PROJECT = '/api/v1/docs#tag/projects/POST/api/v1/org/{org}/ws/{workspace}/projects';

test('the API reference sends its example as it stands, and shows the body of the response', async () => {
  const server = await startTestServer();
  const browser = await ConsoleBrowser.open(server);
  const { page, errors } = await browser.visit(CREATE_PROJECT);
  await page.setViewportSize({ width: 1500, height: 1000 });
  await page.getByPlaceholder('Token').first().fill(server.owner.key);
  await page
    .getByRole('button', { name: /Test Request.*post.*projects/i })
    .first()
    .click();
  const client = page.getByRole('dialog').last();
  // The editor of the body shows the example.
  await client.getByText('"first-project"').waitFor({ timeout: WAIT_TIMEOUT_MS });
  await client.getByRole('button', { name: /^Send/ }).first().click();
  const created = client.getByText(/"slug"|"key": "first-project"|"organization_id"/).last();
  await created.waitFor({ timeout: WAIT_TIMEOUT_MS });
  // If the editor's styles are missing, the text of the body stands a thousand pixels below its line numbers.
  const box = await created.boundingBox();
  expect(box?.y ?? Number.POSITIVE_INFINITY).toBeLessThan(1_000);
  expect(await server.as(server.owner).get('/org/main/ws/main/projects/first-project')).toMatchObject({
    status: 200,
  });
  // Scalar probes whether it may evaluate code, which the content security policy forbids.
  expect(errors.filter((error) => !error.includes('script-src'))).toEqual([]);
});
