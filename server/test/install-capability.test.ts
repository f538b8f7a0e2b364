/** The README's first installed capability, pasted: its commands and its program, against a real server with real sandboxes. */
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
const section = /^### Install a capability\n(.*?)^###? /ms.exec(readme)?.[1] ?? '';
const blocks = (language: string) =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

test.skipIf(!available)('the commands work when they are pasted, and so does the program', async () => {
  const helper = /^drydock\(\) .*$/m.exec(readme)?.[0] ?? '';
  const publish = /^publish\(\) \{.*?^ .*?\}$/ms.exec(readme)?.[0] ?? '';
  const lines = [
    helper.replace('curl -sS', 'curl -sS --fail-with-body'),
    publish.replace('curl -sS', 'curl -sS --fail-with-body'),
    // Each answer on a line of its own.
    ...blocks('sh').map((block) => block.replaceAll(/^(drydock .*)$/gm, '$1; echo')),
  ];
  const script = ['set -euo pipefail', ...lines].join('\n').replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });

  expect(stdout).toContain('"component_counts":{');
  expect(stdout).toContain('capability.yaml\\nserver.sh\\n[{\\"name\\":\\"clock\\"');
  expect(stdout).toContain('[{"name":"now",');
  expect(stdout).toMatch(/"content":\[\{"type":"text","text":"\d\d:\d\d"\}\]/);
  expect(stdout).toContain('{"name":"ticker","state":"running"');
  expect(stdout).toContain('{"name":"ticker","state":"stopped"');
  expect(stdout).toContain('"flags":{"utc":false}');
  expect(stdout).toContain('"enabled":false');

  const [program = ''] = blocks('ts');
  const file = join(folder, 'program.ts');
  const opening = `import { Drydock } from '${join(ROOT, 'sdk/src/drydock.ts')}';\nconst drydock = new Drydock();\n`;
  writeFileSync(file, opening + program);
  const printed = await run(process.execPath, [file], { cwd: folder, env: { ...env, DRYDOCK_URL: origin } });
  expect(printed.stdout.trim().split('\n')).toEqual(
    [...program.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line),
  );
});
