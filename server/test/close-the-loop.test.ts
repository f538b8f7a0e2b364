/** The guide to the loop, pasted, against a real server with a worker and real sandboxes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startEvaluationWorld } from './evaluation-world.ts';
import { readGuide, shellFunction } from './guide.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const { server } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sections = readGuide('close-the-loop');

test('the commands of the guide print what it says when they are pasted', { timeout: 600_000 }, async () => {
  const commands = sections.map((section) => section.commands);
  // Publishing prints the version, which the guide does not show.
  const script = ['set -euo pipefail', shellFunction('drydock'), shellFunction('publish'), ...commands]
    .join('\n')
    .replace(
      'publish keeper capabilities/keeper/1.0.0',
      'publish keeper capabilities/keeper/1.0.0 > /dev/null',
    )
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  const expected = sections.flatMap(({ printed }) => printed);
  expect(expected.length).toBeGreaterThan(8);
  expect(stdout.trim().split('\n')).toEqual(expected);
});
