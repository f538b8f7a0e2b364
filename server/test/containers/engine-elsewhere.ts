/** Checks the features that work differently when the engine runs on another machine. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { SandboxProvider } from '../../src/platform/sandbox/sandbox-provider.ts';
import { toFolder } from '../capability-folders.ts';
import { until } from '../processes.ts';
import { sh } from './one-sandbox.ts';

/** The network namespace of a remote engine cannot be joined: a program in the sandbox relays the traffic. */
export async function expectRelays(remote: SandboxProvider, id: string): Promise<void> {
  const countRelays = () => sh(remote, id, 'pgrep -cx socat');
  await sh(remote, id, 'echo served >note; python3 -m http.server --bind 127.0.0.1 8001 >/dev/null 2>&1 &');
  await until('port 8001', () =>
    remote.connect(id, 8001).then(
      (found) => found.destroy() && true,
      () => false,
    ),
  );
  const connection = await remote.connect(id, 8001);
  connection.end('GET /note HTTP/1.0\r\n\r\n');
  expect(await text(connection)).toMatch(/^HTTP\/1.0 200 [^]*served\n$/);
  await expect(remote.connect(id, 8004)).rejects.toMatchObject({
    type: 'bad_gateway_error',
    message: expect.stringMatching(/Nothing listens at port 8004 in the sandbox/),
  });
  await until('the end of its relay', async () => (await countRelays()) === '0\n');
  const left = await remote.connect(id, 8001);
  expect(await countRelays()).toBe('1\n');
  const closed = once(left, 'close');
  await remote.pause(id);
  await closed;
  await expect(remote.connect(id, 8001)).rejects.toMatchObject({ type: 'conflict_error' });
  await remote.resume(id);
  await until('the end of the relay', async () => (await countRelays()) === '0\n');
}

/** Checks capabilities, which helper containers install when the engine runs on another machine. */
export async function expectCapabilities(remote: SandboxProvider, id: string): Promise<void> {
  const [tool, theirs] = [toFolder('tool', { 'bin/a': 'a\n' }), toFolder('acme/lens', { b: 'b\n' })];
  for (const folders of [[tool], [tool, theirs], [theirs], [tool, theirs]])
    await remote.setCapabilities(id, folders, '[1]\n');
  expect([tool.asked(), theirs.asked()]).toEqual([1, 1]);
  const command = 'cd /capabilities; ls -A; cat bindings.json */*/*; stat -c %a,%u tool/bin/a';
  expect(await sh(remote, id, command)).toBe('acme\nbindings.json\ntool\n[1]\nb\na\n555,0\n');
  const pairs = [
    [
      ['a', '1'],
      ['a/b', '2'],
    ],
    [['a\\..\\b', '1']],
    [['line\nbreak', '1']],
  ] as const;
  for (const pair of pairs) {
    const refused = remote.setCapabilities(id, [tool, toFolder('bad', pair)], '[]\n');
    await expect(refused).rejects.toMatchObject({ status: 502 });
  }
  expect(await sh(remote, id, command)).toMatch(/^acme\nbindings\.json\ntool\n\[1\]\n/);
}
