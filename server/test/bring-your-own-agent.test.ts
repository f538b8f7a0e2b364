/** The guide to programs as agents, pasted, against a real server with a worker and real sandboxes. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { demonstrateProgram } from '../../scripts/demo/program.ts';
import { Drydock } from '../../sdk/src/drydock.ts';
import { atEndOfFile } from './end-of-file.ts';
import { startEvaluationWorld } from './evaluation-world.ts';
import { type GuideSection, readGuide, shellFunction } from './guide.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const MODULES = join(import.meta.dirname, '../../node_modules');
const PUBLISHED_AGENTS = 'Codex and Claude Code';
const run = promisify(execFile);

const { server } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const [preamble, ...sections] = readGuide('bring-your-own-agent');

async function paste(pasted: readonly (GuideSection | undefined)[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-guide-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  const script = [
    'set -euo pipefail',
    shellFunction('drydock'),
    shellFunction('publish'),
    ...pasted.map((section) => section?.commands ?? ''),
  ]
    .join('\n')
    // The package that this repository has, in place of a download.
    .replace('npm init -y && npm install openai', `ln -s ${MODULES} node_modules`)
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim().split('\n');
}

test('the commands of the guide print what it says when they are pasted', { timeout: 600_000 }, async () => {
  const pasted = sections.filter(({ title }) => title !== PUBLISHED_AGENTS);
  const expected = pasted.flatMap(({ printed }) => printed);
  expect(expected.length).toBeGreaterThan(15);
  expect(await paste([preamble, ...pasted])).toEqual(expected);
});

test.skipIf(!existsSync('/usr/bin/codex') || !existsSync('/usr/bin/claude'))(
  'the commands for Codex and Claude Code print what the guide says when they are pasted',
  { timeout: 600_000 },
  async () => {
    const pasted = sections.find(({ title }) => title === PUBLISHED_AGENTS);
    expect(pasted?.printed.length).toBeGreaterThan(2);
    expect(await paste([preamble, pasted])).toEqual(pasted?.printed);
  },
);

test('the program of the demo solves its tasks, and each message is recorded once', async () => {
  const drydock = new Drydock({ baseUrl: origin, apiKey: server.owner.key });
  expect(await demonstrateProgram(drydock)).toEqual({
    passed: 3,
    total: 3,
    transcript: [expect.stringMatching(/^user: What is \d+ \+ \d+\?$/), 'assistant: 42'],
  });
});
