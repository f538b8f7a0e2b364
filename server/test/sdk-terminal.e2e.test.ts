/** The terminals of the SDK against a server: their guarantees for a client that loops over one, types into it and loses its network. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Drydock } from '../../sdk/src/drydock.ts';
import type { Terminal } from '../../sdk/src/terminal.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { startTestServer } from './harness.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
const RUNTIME = '/org/main/ws/main/runtimes/sdk';
const where = { org: 'main', workspace: 'main', runtime: 'sdk' };

describe.skipIf(!available)('a terminal of the SDK', () => {
  let proxy: CuttingProxy;
  let drydock: Drydock;

  beforeAll(async () => {
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    proxy = await CuttingProxy.open(Number(new URL(url).port));
    drydock = new Drydock({ baseUrl: proxy.url, apiKey: server.owner.key });
    expect(await me.post('/org/main/ws/main/runtimes', { key: 'sdk' })).toMatchObject({ status: 201 });
    expect(await me.post(`${RUNTIME}/start`)).toMatchObject({ status: 200 });
  });
  afterAll(() => proxy.close());

  /** Reads until the output matches, and leaves the iterator open. */
  async function readUntil(pieces: AsyncIterator<Uint8Array>, wanted: RegExp): Promise<string> {
    for (let text = ''; ; ) {
      if (wanted.test(text)) return text;
      const next = await pieces.next();
      if (next.done) throw new Error(`it ended after ${JSON.stringify(text)}`);
      text += Buffer.from(next.value).toString('latin1');
    }
  }
  /** A shell prints this when it has this size. */
  const untilSized = (columns: number, rows: number) =>
    `until [ "$(stty size)" = "${rows} ${columns}" ]; do sleep 0.02; done; echo sized`;
  const piecesOf = (terminal: Terminal) => terminal[Symbol.asyncIterator]();

  test('shows what is typed, has its size, and reports how its program ended', async () => {
    const command = `stty -echo; stty size; echo ready; ${untilSized(91, 31)}; read l; echo "got $l"; exit 5`;
    const terminal = await drydock.runtimes.openTerminal(where, { command, columns: 90, rows: 30 });
    const pieces = piecesOf(terminal);
    expect(await readUntil(pieces, /ready\r\n/)).toBe('30 90\r\nready\r\n');
    terminal.resize(91, 31);
    await readUntil(pieces, /sized\r\n/);
    terminal.write('hällo\n');
    const text = await readUntil(pieces, /got .*\r\n/);
    expect(Buffer.from(text, 'latin1').toString('utf8')).toBe('got hällo\r\n');
    expect((await pieces.next()).done).toBe(true);
    expect(await terminal.exit).toBe(5);
  });

  test('continues after a network cut without duplicate or missing bytes, and delivers what was typed in between', async () => {
    const command = 'stty -echo; echo ready; while read l; do echo "got $l"; done';
    const terminal = await drydock.runtimes.openTerminal(where, { command });
    const pieces = piecesOf(terminal);
    let text = await readUntil(pieces, /ready\r\n/);
    const words = ['one', 'two', 'three'];
    for (const word of words) {
      proxy.cut();
      await sleep(50); // it has noticed the cut
      terminal.write(`${word}\n`);
      text += await readUntil(pieces, new RegExp(`got ${word}\r\n`));
    }
    expect(text).toBe(['ready', ...words.map((word) => `got ${word}`), ''].join('\r\n'));
    expect([terminal.lost, terminal.offset]).toEqual([0, text.length]);
    terminal.hangUp();
    expect((await pieces.next()).done).toBe(true);
  });

  test('applies resizes, input and a hang-up after it reconnects', async () => {
    const command = `stty -echo; echo ready; read l; ${untilSized(92, 32)}; echo "got $l"; cat`;
    const terminal = await drydock.runtimes.openTerminal(where, { command });
    const pieces = piecesOf(terminal);
    await readUntil(pieces, /ready\r\n/);
    proxy.setSilent(true);
    proxy.cut();
    await sleep(300); // it is reconnecting
    terminal.resize(92, 32);
    terminal.write('typed\n');
    proxy.cut();
    proxy.setSilent(false);
    expect(await readUntil(pieces, /got .*\r\n/)).toBe('sized\r\ngot typed\r\n');
    proxy.setSilent(true);
    proxy.cut();
    await sleep(300);
    terminal.hangUp();
    proxy.cut();
    proxy.setSilent(false);
    expect((await pieces.next()).done).toBe(true);
    expect(await terminal.exit).toBe(129);
  });

  test('can be attached again by its id from the next byte on', async () => {
    const command = 'echo first; read l; echo second; read l; exit 4';
    const first = await drydock.runtimes.openTerminal(where, { command });
    await readUntil(piecesOf(first), /first\r\n/);
    const { id, offset } = first;
    first.detach();
    await expect(first.exit).rejects.toMatchObject({ type: 'connection_error' });
    const again = await drydock.runtimes.openTerminal(where, { terminalId: id, after: offset });
    const pieces = piecesOf(again);
    await sleep(500); // a client that has detached does not come back
    again.write('\n');
    await readUntil(pieces, /^\r\nsecond\r\n$/);
    again.write('\n');
    expect(await again.exit).toBe(4);
    // A client that attaches after its end still receives its exit code for a while.
    const late = await drydock.runtimes.openTerminal(where, { terminalId: id });
    expect(await late.exit).toBe(4);
  });

  test.each(['detach', 'signal'])('is not attached again after %s while it had no network', async (way) => {
    const leaving = new AbortController();
    const first = await drydock.runtimes.openTerminal(where, { command: 'cat', signal: leaving.signal });
    proxy.setSilent(true);
    proxy.cut();
    await sleep(300);
    if (way === 'detach') first.detach();
    else leaving.abort();
    proxy.cut();
    proxy.setSilent(false);
    await sleep(500);
    expect(proxy.openCount).toBe(0);
    const again = await drydock.runtimes.openTerminal(where, { terminalId: first.id });
    again.hangUp();
    await again.exit;
  });

  test('fails for the previous client when another one attaches', async () => {
    const first = await drydock.runtimes.openTerminal(where, { command: 'cat' });
    const refused = expect(piecesOf(first).next()).rejects.toMatchObject({ type: 'conflict_error' });
    const second = await drydock.runtimes.openTerminal(where, { terminalId: first.id });
    await refused;
    second.hangUp();
    await second.exit;
  });

  test('reports why it could not be opened', async () => {
    const none = { ...where, runtime: 'none' };
    await expect(drydock.runtimes.openTerminal(none)).rejects.toMatchObject({ status: 404 });
    await expect(drydock.runtimes.openTerminal(where, { rows: 0 })).rejects.toMatchObject({ status: 422 });
    const stranger = new Drydock({ baseUrl: proxy.url, apiKey: `dd_${'x'.repeat(40)}`, maxRetries: 0 });
    await expect(stranger.runtimes.openTerminal(where)).rejects.toMatchObject({ status: 401 });
  });

  test('fails after its timeout when the network does not come back', async () => {
    const hasty = new Drydock({ baseUrl: proxy.url, apiKey: server.owner.key, timeoutMs: 500 });
    const terminal = await hasty.runtimes.openTerminal(where, { command: 'cat', reconnectForMs: 300 });
    const reading = piecesOf(terminal).next();
    proxy.setSilent(true);
    proxy.cut();
    await expect(reading).rejects.toMatchObject({ name: 'DrydockError', status: undefined });
    proxy.setSilent(false);
    const again = await drydock.runtimes.openTerminal(where, { terminalId: terminal.id });
    again.hangUp();
    await again.exit;
  });
});
