/** What the `container` provider changes or ends while a sandbox runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLog } from '../src/platform/log.ts';
import { createContainerProvider } from '../src/platform/sandbox/container/container-provider.ts';
import { collectOutput } from '../src/platform/sandbox/output.ts';
import type { SandboxProvider } from '../src/platform/sandbox/sandbox-provider.ts';
import { toFolder } from './capability-folders.ts';
import { findObstacle, startEngine } from './containers/engine-under-test.ts';
import { end, sh, start, toCommand } from './containers/one-sandbox.ts';
import { atEndOfFile } from './end-of-file.ts';
import { until } from './processes.ts';
import { toSettings } from './sandbox-suite/provider-under-test.ts';

const obstacle = findObstacle('docker');
const engine = obstacle === undefined ? await startEngine('docker') : undefined;
if (engine) atEndOfFile(() => engine.close());
const folder = mkdtempSync(join(tmpdir(), 'drydock-containers-'));
atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));

function open(): SandboxProvider {
  if (!engine) throw new Error('There is no engine');
  const provider = createContainerProvider({
    folder,
    settings: toSettings(engine),
    log: createLog('fatal'),
    events: { ended: () => undefined, egress: () => undefined },
  });
  atEndOfFile(() => provider.close());
  return provider;
}

const SIZE = { columns: 80, rows: 24 };
const version = (path: string, name: string) => ({
  ...toFolder(path, [[`of-${name}`, name]]),
  digest: name,
});

describe.runIf(engine)('the container provider during changes', () => {
  const provider = engine ? open() : (undefined as unknown as SandboxProvider);
  const count = async (from: SandboxProvider, id: string, pattern: string) =>
    Number(await sh(from, id, `pgrep -cf "^${pattern}"`));
  const openTerminal = async (id: string, script: string) => {
    const terminal = await provider.openTerminal(id, toCommand(script), SIZE);
    terminal.output.resume();
    return terminal;
  };

  test('a process that uses a version of a capability keeps it when another or none is shown', async () => {
    const id = await start(provider);
    await provider.setCapabilities(id, [version('kit', 'v1')], '[1]');
    const script =
      'cd /capabilities/kit; echo in >/tmp/in; until [ -e /tmp/go ]; do sleep 0.02; done; ls; cat of-v1';
    const working = await provider.exec(id, toCommand(script));
    await until('it is there', async () => (await sh(provider, id, 'cat /tmp/in 2>/dev/null')) === 'in\n');
    await provider.setCapabilities(id, [version('kit', 'v2')], '[2]');
    expect(await sh(provider, id, 'ls /capabilities/kit')).toBe('of-v2\n');
    await provider.setCapabilities(id, [], '[]');
    expect(await sh(provider, id, 'ls /capabilities; touch /tmp/go')).toBe('bindings.json\n');
    const { stdout, exit_code } = await collectOutput(working, { timeoutMs: 20_000 });
    expect([stdout, exit_code]).toEqual(['of-v1\nv1', 0]);
    await end(provider, id);
  });

  test('a capability replaces the folder of an owner with other capabilities, and vice versa', async () => {
    const id = await start(provider);
    const list = () => sh(provider, id, 'cd /capabilities; cat bindings.json; ls -d * */* */*/* 2>/dev/null');
    await provider.setCapabilities(id, [version('acme', 'a'), version('other/one', 'o')], '1\n');
    await provider.setCapabilities(id, [version('acme/tool', 'b'), version('other', 'p')], '2\n');
    const second = ['acme', 'acme/tool', 'acme/tool/of-b', 'bindings.json', 'other', 'other/of-p'];
    expect((await list()).split('\n').toSorted()).toEqual(['', '2', ...second]);
    await provider.setCapabilities(id, [version('acme', 'a'), version('other/one', 'o')], '3\n');
    const third = ['acme', 'acme/of-a', 'bindings.json', 'other', 'other/one', 'other/one/of-o'];
    expect((await list()).split('\n').toSorted()).toEqual(['', '3', ...third]);
    await end(provider, id);
  });

  test('closing a terminal ends what its program left behind in its session', async () => {
    const id = await start(provider);
    const terminal = await openTerminal(id, '(sleep 7721 &); exec sleep 7722');
    await until('its programs', async () => (await count(provider, id, 'sleep 772[12]')) === 2);
    terminal.kill();
    await terminal.exit;
    await until('their end', async () => (await count(provider, id, 'sleep 772[12]')) === 0);
    await end(provider, id);
  });

  test('a terminal that is closed while the sandbox is paused ends when the sandbox resumes', async () => {
    const id = await start(provider);
    const terminal = await openTerminal(id, 'sleep 7731 & sleep 7732');
    await until('its programs', async () => (await count(provider, id, 'sleep 773[12]')) === 2);
    await provider.pause(id);
    terminal.kill();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await provider.resume(id);
    await terminal.exit;
    await until('their end', async () => (await count(provider, id, 'sleep 773[12]')) === 0);
    await end(provider, id);
  });

  test('leftovers of a dead process end in a paused sandbox too', async () => {
    const [left, next] = [open(), open()];
    const id = await start(left);
    const terminal = await left.openTerminal(id, toCommand('sleep 7741 & sleep 7742'), SIZE);
    terminal.output.resume();
    const running = await left.exec(id, toCommand('exec sleep 7743'));
    for (const output of [running.stdout, running.stderr]) output.on('error', () => undefined).resume();
    await until('its programs', async () => (await count(left, id, 'sleep 774[123]')) === 3);
    await left.pause(id);
    await left.close();
    expect(await next.adopt(id)).toEqual({ state: 'paused' });
    await next.resume(id);
    expect(await count(next, id, 'sleep 774[123]')).toBe(0);
    await end(next, id);
  });
});

if (obstacle !== undefined) test('changes in containers', ({ skip }) => skip(obstacle));
