/** The README's and the document's calls of models, pasted, with the SDKs of OpenAI that people have. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { findPython } from '../../scripts/python-packages.ts';
import { startTestServer } from './harness.ts';
import { ask, scripted } from './simulated-answers.ts';

const ROOT = join(import.meta.dirname, '../..');
const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);
const python = findPython();

const server = await startTestServer();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-readme-'));
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const document = readFileSync(join(ROOT, 'docs/reference/simulated-models.md'), 'utf8');
const section = /^### Call any model through Drydock\n(.*?)^### /ms.exec(readme)?.[1] ?? '';
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);
const [calls = '', node = '', inPython = '', providers = ''] = blocksOf(section, 'sh');
const [inference = ''] = /^inference=.*$/m.exec(calls) ?? [];

/** What people paste, with their packages where these are: nothing is fetched. */
async function paste(...blocks: readonly string[]): Promise<string> {
  const helper = /^drydock\(\) .*$/m.exec(readme)?.[0] ?? '';
  const script = ['set -euo pipefail', helper.replace('curl -sS', 'curl -sS --fail-with-body'), ...blocks]
    .join('\n')
    .replaceAll(ORIGIN, origin)
    .replace(/^\(cd called-node && npm .*$/m, '')
    .replace(/^python3 -m venv .*$/m, '')
    .replace(/^called-python\/venv\/bin\/pip .*$/m, '')
    .replaceAll('called-python/venv/bin/python', python ?? '');
  const env = { PATH: process.env['PATH'], DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });
  return stdout;
}

const promised = (text: string) => [...text.matchAll(/(?:\/\/|#) → (.*)$/gm)].map(([, line]) => line);

test('the commands work when they are pasted', async () => {
  const said = await paste(calls);
  expect(said).toContain('"id":"sim/echo"');
  expect(said).toContain('"owned_by":"drydock (simulated)"');
  expect(said).toMatch(/"message":\{"role":"assistant","content":"Hello!"/);
  expect(said).toMatch(/"delta":\{"content":"Hello"\}/);
  expect(said).toMatch(/\n\ndata: \[DONE\]\n\n$/);
});

test('the program for Node prints what it says', async () => {
  expect(promised(node)).toHaveLength(3);
  expect((await paste(node)).trim().split('\n')).toEqual(promised(node));
});

describe.skipIf(!python)('with the Python packages that "npm run setup -- --tests" installs', () => {
  test('the program for Python prints what it says', async () => {
    expect(promised(inPython)).toHaveLength(3);
    expect((await paste(inPython)).trim().split('\n')).toEqual(promised(inPython));
  });
});

test('providers are listed, their keys are not told, and usage is', async () => {
  const messages = [{ role: 'user', content: 'Hello!' }];
  await server
    .as(server.owner)
    .post('/org/main/inference/v1/chat/completions', { model: 'sim/echo', messages });
  const said = await paste(inference, providers);
  expect(said).toMatch(/"models":\[.*"model":"sim\/echo"/);
  expect(said).toContain('"base_url":"https://llm.example.com/v1"');
  expect(said).toContain('"has_api_key":true');
  expect(said).not.toMatch(/sk-\w/);
  const { body } = await server.as(server.owner).get('/org/main/inference/v1/models');
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining(['acme/large', 'anthropic/claude-sonnet-4-5', 'sim/echo', 'sim/scripted']),
  );
});

describe('the document on simulated models', () => {
  test('has a call that answers as it says', async () => {
    const [example = ''] = blocksOf(document, 'sh');
    const promise = /^The answer is `(.*)`$/m.exec(document)?.[1];
    expect(JSON.parse(await paste(example)).choices[0].message.content).toBe(promise);
  });

  const scripts = blocksOf(document, 'json');

  test('has scripts', () => {
    expect(scripts).toHaveLength(5);
  });

  test.each(scripts.entries().toArray())('has script %d that can be followed', async (_, text) => {
    const answer = await ask(scripted(JSON.parse(text)), { retryCount: 2 });
    expect(answer.outputLength).toBeGreaterThan(0);
  });

  test('names every field of a step', async () => {
    const table = /^### A step\n(.*?)^### /ms.exec(document)?.[1] ?? '';
    const named = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    const source = readFileSync(join(ROOT, 'server/src/platform/llm/simulated/script.ts'), 'utf8');
    const fields = [
      /const answer = z\.strictObject\((.*?)^\}\)/ms,
      /^const step = answer\s*\.extend\((.*?)^ {2}\}\)/ms,
    ]
      .map((schema) => schema.exec(source)?.[1] ?? '')
      .flatMap((text) => [...text.matchAll(/^ {2,4}(\w+):/gm)].map(([, field = '']) => field));
    expect(named.toSorted()).toEqual(fields.toSorted());
  });
});
