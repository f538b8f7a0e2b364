/** The guide to the loop, pasted, against a real server with a worker and real sandboxes. */
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

const { server } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const guide = readFileSync(join(ROOT, 'docs/guides/close-the-loop.md'), 'utf8');

test('the commands of the guide print what it says when they are pasted', { timeout: 600_000 }, async () => {
  const helperOf = (name: string) => new RegExp(`^${name}\\(\\) .*?; }$`, 'ms').exec(readme)?.[0] ?? '';
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
  // Publishing prints the version, which the guide does not show.
  const script = ['set -euo pipefail', helperOf('drydock'), helperOf('publish'), ...blocks]
    .join('\n')
    .replace(
      'publish keeper capabilities/keeper/1.0.0',
      'publish keeper capabilities/keeper/1.0.0 > /dev/null',
    )
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  const expected = [...guide.matchAll(/# → (.*)$/gm)].map(([, text = '']) => text);
  expect(expected.length).toBeGreaterThan(8);
  expect(stdout.trim().split('\n')).toEqual(expected);
});
