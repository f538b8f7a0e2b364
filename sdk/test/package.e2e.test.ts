/** The published package: built, packed, installed, and tested with every example of its documentation. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { FIRST_START } from '../../server/test/first-start.ts';
import { startTestServer } from '../../server/test/harness.ts';
import { startTestWorker } from '../../server/test/workers.ts';
import { findExamples } from './examples.ts';

const SDK = join(import.meta.dirname, '..');
const ROOT = join(SDK, '..');
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'drydock-sdk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const packed = await pack();
const examples = findExamples();
for (const { name, code } of examples) writeFileSync(join(folder, name), code);

const server = await startTestServer({}, [], { hasSandboxes: true });
await startTestWorker(server);
const [{ available: hasSandboxes }] = (await server.as(server.owner).get('/org/main/sandbox-providers')).body;
const environment = {
  PATH: process.env['PATH'],
  DRYDOCK_URL: await server.app.listen({ host: '127.0.0.1', port: 0 }),
  DRYDOCK_API_KEY: server.owner.key,
  DRYDOCK_PASSWORD: FIRST_START.password,
};

const printed = await runExamples();

/** Installs it into node_modules of an empty folder, as npm would. */
async function pack(): Promise<string[]> {
  await run('npm', ['run', 'build'], { cwd: SDK });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: SDK,
  });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const target = join(folder, 'node_modules/@drydock/sdk');
  mkdirSync(target, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1']);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const types of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', types), join(folder, 'node_modules', types));
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return files.map(({ path }) => path);
}

describe('the package', () => {
  test('contains its build, its types, its README and its license, but no tests or sources', () => {
    expect(packed).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'dist/drydock.js', 'dist/drydock.d.ts']),
    );
    expect(
      packed.filter((path) => !/^(README\.md|LICENSE|package\.json|dist\/.*\.(js|d\.ts))$/.test(path)),
    ).toEqual([]);
    expect(packed.filter((path) => path.includes('.test.'))).toEqual([]);
  });

  test('has no dependencies', () => {
    const manifest = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(Object.keys(manifest).filter((key) => /^(d|optionalD|peerD)ependencies$/.test(key))).toEqual([]);
    const imports = packed
      .filter((path) => path.endsWith('.js'))
      .flatMap((path) =>
        Array.from(readFileSync(join(SDK, path), 'utf8').matchAll(/^(?:im|ex)port .*from "(.*)"/gm)),
      )
      .map(([, target = '']) => target);
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter((target) => !/^\.{1,2}\/.*\.js$/.test(target))).toEqual([]);
  });
});

describe('the examples of the documentation', () => {
  test('compile against the types of the package', async () => {
    const compiler = join(ROOT, 'node_modules/.bin/tsc');
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'esnext'];
    const modules = ['--module', 'nodenext', '--types', 'node'];
    const names = examples.map(({ name }) => name);
    const { stdout } = await run(compiler, [...options, ...modules, ...names], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });

  test('exist for every resource, and print something', () => {
    const names = examples.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('README')).length).toBeGreaterThan(6);
    expect(names.filter((name) => name.startsWith('resources')).length).toBeGreaterThan(10);
    expect(examples.filter(({ prints }) => prints.length === 0)).toEqual([]);
  });

  test.for(examples)('print what they claim: $name', ({ name, code, prints }, { skip }) => {
    skip(!hasSandboxes && code.includes('drydock.runtime'), 'no sandbox can be made here');
    expect(printed[name]).toEqual(prints);
  });
});

/** Runs all of them in one process, one after the other, in a program that only has the package. */
async function runExamples(): Promise<Record<string, string[]>> {
  const steps = examples.map(({ name }) => name);
  const runner = `
    import { format } from 'node:util';
    const printed = {};
    const { log } = console;
    for (const name of ${JSON.stringify(steps)}) {
      printed[name] = [];
      console.log = (...values) => printed[name].push(format(...values));
      await import('./' + name).catch((error) => printed[name].push(format(error)));
    }
    log(JSON.stringify(printed));`;
  writeFileSync(join(folder, 'runner.js'), runner);
  const { stdout } = await run(process.execPath, ['runner.js'], { cwd: folder, env: environment });
  return JSON.parse(stdout) as Record<string, string[]>;
}
