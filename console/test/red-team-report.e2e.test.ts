/** The HTML report of an assessment, opened from disk as people open it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { insertAssessmentRows } from '../../server/test/airt-rows.ts';
import { AIRT, startAirtWorld } from '../../server/test/airt-world.ts';
import { atEndOfFile } from '../../server/test/end-of-file.ts';
import { ConsoleBrowser, expectAccessible } from './browser.ts';

const world = await startAirtWorld();
const { me, server } = world;
const browser = await ConsoleBrowser.open(server);
const folder = mkdtempSync(join(tmpdir(), 'drydock-report-'));
atEndOfFile(() => rmSync(folder, { recursive: true }));

const RUN = 'document.title=1';
const HOSTILE = [
  `<script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `</title></pre></svg><img src=x onerror=${RUN}>`,
  `" onload="${RUN}" x='' onclick='${RUN}`,
  `<a href="javascript:${RUN}">x</a>`,
  '<style>body { display: none }</style>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<link rel=stylesheet href=https://evil.example/x.css><iframe src=https://evil.example></iframe>',
  '\u202Edesrever\u0007',
].join('\n');

interface Opened {
  readonly page: Page;
  readonly errors: readonly string[];
  /** Addresses that were asked for, beside the file itself. */
  readonly requests: readonly string[];
}

async function openReport(assessment: string, colorScheme: 'light' | 'dark'): Promise<Opened> {
  const { status, body } = await me.post(`${AIRT}/assessments/${assessment}/reports`, {
    report_type: 'html',
  });
  expect(status).toBe(201);
  const file = join(folder, `${body.id}.html`);
  writeFileSync(file, body.content);
  const { page, context, errors } = await browser.visit('about:blank', { colorScheme });
  const requests: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.goto(url, { waitUntil: 'networkidle' });
  expect(requests.shift()).toBe(url);
  return { page, errors, requests };
}

test('createReport generates HTML that shows charts, loads nothing and prints', async () => {
  const { id } = await world.run({
    attack_manifest: ['baseline', 'skeleton_key', 'policy_puppetry', 'many_shot'].map((attack) => ({
      attack,
      goal_category: 'credential_leak',
      trials: 4,
    })),
  });
  const { page, errors, requests } = await openReport(id, 'light');
  expect({ errors, requests }).toEqual({ errors: [], requests: [] });
  expect(await page.locator('figure svg').count()).toBe(3);
  expect(await page.locator('svg .bar').count()).toBe(4);
  expect(await page.locator('svg .whisker').count()).toBe(12);
  expect(await page.locator('svg .heat').count()).toBe(4);
  await expectAccessible(page);
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(2);
});

test('createReport generates HTML in which hostile text is text, in light and dark mode', async () => {
  const { organization_id, workspace_id, user_id } = await world.getAssessment(await world.create());
  const place = { organizationId: organization_id, workspaceId: workspace_id, createdBy: user_id };
  await insertAssessmentRows(server.db, place, { text: HOSTILE, projectId: world.projectId });
  await server.db
    .updateTable('airt_findings')
    .set({ attack_name: HOSTILE, goal_category: HOSTILE })
    .where('organization_id', '=', organization_id)
    .where('goal', '=', HOSTILE)
    .execute();
  const { body } = await me.get(`${AIRT}/assessments?page_size=1`);
  for (const scheme of ['light', 'dark'] as const) {
    const { page, errors, requests } = await openReport(body.items[0].id, scheme);
    expect({ errors, requests }).toEqual({ errors: [], requests: [] });
    expect(await page.title()).toMatch(/^Red-team report: <script>/);
    expect(await page.locator('script, img, iframe, link, object, embed, base, form').count()).toBe(0);
    expect(await page.locator('style').count()).toBe(1);
    expect(await page.locator('meta[http-equiv]').count()).toBe(1);
    const armed = await page.evaluate(
      `[...document.querySelectorAll('*')].filter((element) =>
        [...element.attributes].some(({ name, value }) => /^on/i.test(name) || /^javascript:/i.test(value))).length`,
    );
    expect(armed).toBe(0);
    const [text] = await page.locator('pre').allTextContents();
    expect(text).toBe(HOSTILE.replace('\u0007', '\uFFFD'));
    await expectAccessible(page);
  }
});
