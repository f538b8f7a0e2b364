/**
 * `npm run screenshots`: takes the pictures of the documentation, docs/images, from a server of its own on which the sample evaluation
 * has run. It needs Chromium (`npm run setup -- --tests`).
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { buildConsole } from '../../scripts/build-console.ts';
import { startServer } from '../../scripts/demo/server.ts';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const PASSWORD = 'for the pictures only';

process.env['DRYDOCK_INIT_PASSWORD'] = PASSWORD;
buildConsole(console.log);
mkdirSync(FOLDER, { recursive: true });
const server = await startServer();
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({
    baseURL: server.url,
    viewport: { width: 1360, height: 850 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  await takeAll(page);
} finally {
  await browser.close();
  await server.stop();
}

async function takeAll(page: Page): Promise<void> {
  const take = async (name: string) => {
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    console.log(`docs/images/${name}.png`);
  };
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill('owner@localhost');
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Run the sample evaluation' }).first().click();
  await page.getByText('Completed').first().waitFor({ timeout: 120_000 });
  await take('evaluation');
  await page
    .getByRole('row', { name: /Failed/ })
    .first()
    .dblclick();
  await page
    .getByText(/^Failed:/)
    .first()
    .waitFor();
  await take('sample');
  await page.goto('/o/main/w/main');
  await take('overview');
}
