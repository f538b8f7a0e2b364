/** Features specific to terminals of this provider; `server/test/sandbox-suite` covers the common ones. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TerminalProcess } from '../../sandbox-provider.ts';
import { ProviderInTest } from '../provider-in-test.ts';

const SIZE = { columns: 100, rows: 30 };
let host: ProviderInTest;

beforeAll(async () => {
  host = new ProviderInTest();
  await host.start('one');
});

afterAll(async () => {
  await host.close();
  expect(host.listProcesses()).toEqual([]);
});

const open = (script: string, args: readonly string[] = [], environment: Record<string, string> = {}) =>
  host.provider.openTerminal(
    'one',
    { argv: ['sh', '-c', script, 'sh', ...args], cwd: '/', environment },
    SIZE,
  );

const readAll = async ({ output }: TerminalProcess) => Buffer.concat(await output.toArray()).toString();

test('a terminal passes its environment and arguments exactly, and opens no other file', async () => {
  const script =
    'echo "$SHELL|$A|$1|$2"; for file in /proc/$$/fd/*; do readlink $file; done | sort | uniq -c';
  const given = { SHELL: "/bin/o'dd", A: '$HOME `id`' };
  const [output, ...files] = (await readAll(await open(script, ["it's", 'a  "b"'], given))).split('\r\n');
  expect(output).toBe('/bin/o\'dd|$HOME `id`|it\'s|a  "b"');
  expect(files.filter((line) => line !== '' && !line.endsWith(' /dev/null'))).toEqual([
    expect.stringMatching(/^ +3 \/dev\/pts\/\d+$/),
  ]);
  expect(await readAll(await open('echo "[$SHELL]"'))).toBe('[]\r\n');
});

test('an ended terminal leaves nothing in /dev/pts', async () => {
  const terminal = await open('sleep 4009');
  const list = async () => (await host.run('one', 'ls /dev/pts')).stdout.match(/\d+/g) ?? [];
  expect(await list()).toHaveLength(1);
  terminal.kill();
  await terminal.exit;
  await vi.waitFor(async () => expect(await list()).toEqual([]));
});

test('openTerminal reports a lack of processes', async () => {
  const { limits } = await host.provider.probe();
  if (!limits.includes('pids')) return;
  await host.start('full', { limits: { pids: 24 } });
  await host.run('full', 'for i in $(seq 40); do sleep 4008 > /dev/null 2>&1 < /dev/null & done');
  const command = { argv: ['sh'] as const, cwd: '/', environment: {} };
  await expect(host.provider.openTerminal('full', command, SIZE)).rejects.toMatchObject({
    type: 'conflict_error',
  });
  await host.provider.kill('full');
});

test('ending the process that holds a terminal ends only its own program', async () => {
  const terminal = await open('sleep 4010');
  await host.run('one', 'pkill -9 -x script');
  expect(await terminal.exit).toEqual({ code: 137 });
  await vi.waitFor(async () => expect((await host.run('one', 'pgrep -fx "sleep 4010"')).stdout).toBe(''));
});
