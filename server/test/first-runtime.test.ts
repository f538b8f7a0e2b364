/** The README's first runtime, pasted: its commands and its program, against a real server with real sandboxes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from './harness.ts';

const ROOT = join(import.meta.dirname, '../..');
const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const server = await startTestServer({}, [], { hasSandboxes: true });
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const [{ available }] = (await server.as(server.owner).get('/org/main/sandbox-providers')).body;
const folder = mkdtempSync(join(tmpdir(), 'drydock-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const section = /^### Your first runtime\n(.*?)^###? /ms.exec(readme)?.[1] ?? '';
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

test.skipIf(!available)('the commands work when they are pasted', async () => {
  const helper = /^drydock\(\) .*$/m.exec(readme)?.[0] ?? '';
  const lines = [
    helper.replace('curl -sS', 'curl -sS --fail-with-body'),
    // Each answer on a line of its own.
    ...blocks('sh').map((block) =>
      block.replaceAll(ORIGIN, origin).replaceAll(/^(drydock .*)$/gm, '$1; echo'),
    ),
  ];
  const script = ['set -euo pipefail', ...lines].join('\n');
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });

  expect(stdout).toMatch(/"status":"idle".*"created":true}\n/);
  expect(stdout).toMatch(/"status":"running"/);
  expect(stdout).toMatch(/"stdout":"12\\n"/);
  expect(stdout).toContain('event: stdout\ndata: {"data":"3\\n"}\n\nevent: exit\ndata: {"exit_code":0,');
  expect(stdout).toMatch(/"name":"answer\.py","path":"src\/answer\.py","type":"file","size_bytes":13/);
  expect(readFileSync(join(folder, 'hello.txt'), 'utf8')).toBe('hello\n');
  expect(stdout).toContain('\nprint(6 * 7)\n');
  expect(stdout).toMatch(/"status":"paused"/);
  expect(stdout).toMatch(/"expires_at":/);
  expect(stdout).toMatch(/"total_runtime_seconds":\d/);
});

test.skipIf(!available)('the program prints what it says', async () => {
  const [program = ''] = blocks('ts');
  const client = join(ROOT, 'sdk/src/drydock.ts');
  const file = join(folder, 'program.ts');
  const opening = `import { Drydock } from '${client}';\nconst drydock = new Drydock();\n`;
  writeFileSync(file, opening + program);
  const env = { PATH: process.env.PATH, DRYDOCK_URL: origin, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env });
  expect(stdout.trim().split('\n')).toEqual([...program.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line));
});
