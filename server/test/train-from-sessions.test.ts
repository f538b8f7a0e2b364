/** The guide to training, pasted, against a real server; a trainer is not part of it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { JOBS } from './training-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const server = await startTestServer();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const guide = readFileSync(join(ROOT, 'docs/guides/train-from-sessions.md'), 'utf8');

test('the commands of the guide make a dataset of sessions and a job when they are pasted', async () => {
  const helperOf = (name: string) => new RegExp(`^${name}\\(\\) .*?; }$`, 'ms').exec(readme)?.[0] ?? '';
  const script = [
    'set -euo pipefail',
    helperOf('drydock').replace('curl -sS', 'curl -sS --fail-with-body'),
    helperOf('publish').replace('curl -sS', 'curl -sS --fail-with-body'),
    ...[...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code),
  ]
    .join('\n')
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  expect(stdout).toContain('"splits":{"train":1,"validation":1}');
  expect(stdout).toContain('"examples":1');
  const { items } = (await server.as(server.owner).get(JOBS)).body;
  expect(items).toMatchObject([
    { name: 'harbour', status: 'queued', retry_of: items[1].id },
    { name: 'harbour', status: 'cancelled', metrics: { effective_config: { epochs: 3 } } },
  ]);
});
