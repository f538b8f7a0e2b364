/** The guide to the red team, pasted, against a real server with a worker. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { AIRT, startAirtWorld } from './airt-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const { server, me } = await startAirtWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const guide = readFileSync(join(ROOT, 'docs/guides/attack-your-own-agent.md'), 'utf8');

test('the commands of the guide attack, triage and retest when they are pasted', async () => {
  const helper = /^drydock\(\) .*?; }$/ms.exec(readme)?.[0] ?? '';
  const script = [
    'set -euo pipefail',
    helper.replace('curl -sS', 'curl -sS --fail-with-body'),
    ...[...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code),
  ]
    .join('\n')
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  const [retest, first] = (await me.get(`${AIRT}/assessments`)).body.items;
  expect(first).toMatchObject({ name: 'Does it keep its secret?', status: 'completed' });
  expect(first.overall_asr).toBeGreaterThan(0);
  expect(retest).toMatchObject({ status: 'completed', overall_asr: 0 });
  const { body: finding } = await me.get(`${AIRT}/findings/${retest.retest_of}`);
  expect(finding).toMatchObject({ finding_status: 'remediated', retests: [{ is_fixed: true }] });
  expect(finding.review_events).toHaveLength(2);
});
