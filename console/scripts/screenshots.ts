/**
 * `npm run screenshots`: takes the pictures of the documentation, docs/images, from a server of its own on which the sample evaluation
 * and an optimization job have run, and a runtime runs. It needs Chromium (`npm run setup -- --tests`).
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { buildConsole } from '../../scripts/build-console.ts';
import { sampleRows } from '../../scripts/demo/sample-rows.ts';
import { startServer } from '../../scripts/demo/server.ts';
import { Drydock } from '../../sdk/src/drydock.ts';
import { bundle } from '../../server/test/bundles.ts';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const PASSWORD = 'for the pictures only';
const WHERE = { org: 'main', workspace: 'main' };

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
  await page.goto(`/o/main/w/main/optimization/${await optimize()}?tab=candidates`);
  await page.getByText('Completed').first().waitFor({ timeout: 120_000 });
  await page.getByText('Found after').waitFor();
  await take('optimization');
  const runtime = await startRuntime();
  await page.goto(`/o/main/w/main/runtimes/${runtime}?tab=terminal`);
  await page.getByText('Connected').waitFor();
  await page.locator('.xterm').click();
  await page.keyboard.type('ls -l src && python3 src/answer.py\n');
  await page.locator('.xterm-rows').getByText('42').waitFor();
  await take('runtime');
  // A sandbox would outlive the server.
  await new Drydock({ baseUrl: server.url, apiKey: server.key }).runtimes.delete({ ...WHERE, runtime });
  await page.goto('/o/main/w/main');
  await take('overview');
}

function toBundle(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bundle(files));
}

/**
 * Starts a runtime with a small program in its workspace.
 * @returns its key
 */
async function startRuntime(): Promise<string> {
  const drydock = new Drydock({ baseUrl: server.url, apiKey: server.key });
  const config = { sandbox: { egress_allow: ['pypi.org'], exposed_ports: [8000] } };
  const { key } = await drydock.runtimes.create(WHERE, { name: 'Data lab', config });
  await drydock.runtimes.start({ ...WHERE, runtime: key });
  const program = new TextEncoder().encode('print(6 * 7)\n');
  await drydock.runtimeFiles.put({ ...WHERE, runtime: key }, { path: 'src/answer.py' }, program);
  return key;
}

/**
 * Publishes an agent with a vague prompt and questions, and improves the prompt with simulated models.
 * @returns the ID of the job
 */
async function optimize(): Promise<string> {
  const drydock = new Drydock({ baseUrl: server.url, apiKey: server.key });
  const version = '1.0.0';
  await drydock.capabilities.publish(
    { org: 'main', name: 'assistant', version },
    toBundle({
      'capability.yaml': `schema: 1\nname: assistant\nversion: ${version}\ndescription: Answers small questions\n`,
      'agents/helper.md':
        '---\nname: helper\ndescription: Answers questions\n---\nYou are a helpful assistant.\n',
    }),
  );
  const rows = sampleRows(30).map((row) => `${JSON.stringify(row)}\n`);
  await drydock.datasets.publish(
    { org: 'main', name: 'questions', version },
    toBundle({ 'dataset.yaml': 'summary: Small questions\n', 'train.jsonl': rows.join('') }),
  );
  const { id } = await drydock.optimization.create(WHERE, {
    name: 'Answers in the right form',
    target_kind: 'capability_agent',
    model: 'sim/instructed',
    capability_ref: { name: 'assistant', version },
    dataset_ref: { name: 'questions', version },
    reward_recipe: { name: 'exact_match_v1' },
    config: { reflection_lm: 'sim/reflector', max_metric_calls: 120 },
  });
  return id;
}
