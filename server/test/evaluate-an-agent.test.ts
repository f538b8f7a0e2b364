/** The README's task and evaluation, pasted, against a real server with a worker and real sandboxes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startEvaluationWorld } from './evaluation-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const { server, me, ended } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocksOf = (title: string) => {
  const section = new RegExp(`^### ${title}\n(.*?)^###? `, 'ms').exec(readme)?.[1] ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
};

test('the commands work when they are pasted', async () => {
  const helperOf = (name: string) => new RegExp(`^${name}\\(\\) .*?; }$`, 'ms').exec(readme)?.[0] ?? '';
  const script = [
    'set -euo pipefail',
    helperOf('drydock').replace('curl -sS', 'curl -sS --fail-with-body'),
    helperOf('publish'),
    ...blocksOf('Publish a task'),
    ...blocksOf('Evaluate an agent'),
  ]
    .join('\n')
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });
  expect(stdout).toContain('"total_samples":5');
  const { body } = await me.get('/org/main/ws/main/evaluations');
  expect(await ended(body.items[0].id)).toMatchObject({ passed_count: 5, pass_rate: 1 });
});
