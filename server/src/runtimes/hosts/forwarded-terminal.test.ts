/** A terminal between two processes, with a program that takes input only when released. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { LinkEnd, TerminalLink } from '../terminals/terminal-link.ts';
import { openLink, serveLink } from './forwarded-terminal.ts';
import { FRAMES, readFrames, sendFrame } from './frames.ts';

const opened: { destroy(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

async function connectPair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  for (const socket of [near, far]) opened.push(socket.on('error', () => undefined));
  return [near, far];
}

/** A link that shows nothing and takes input only when released. */
class HeldLink implements TerminalLink {
  readonly terminalId = 'x';
  readonly offset = 0;
  readonly lost = 0;
  readonly #over = Promise.withResolvers<LinkEnd>();
  readonly let = Promise.withResolvers<void>();
  readonly sent: unknown[] = [];
  taken = 0;
  given = 0;

  get ended(): Promise<LinkEnd> {
    return this.#over.promise;
  }

  async read(): Promise<undefined> {
    await this.#over.promise;
  }

  async write(bytes: Buffer): Promise<void> {
    this.given += bytes.length;
    await this.let.promise;
    this.taken += bytes.length;
  }

  resize(size: object): void {
    this.sent.push(size);
  }

  acknowledge(offset: number): void {
    this.sent.push(offset);
  }

  detach(): void {
    this.#over.resolve({ kind: 'detached' });
  }

  hangUp(): void {
    this.sent.push('hang up');
  }
}

test('control messages overtake pending input, which is bounded', async () => {
  const [near, far] = await connectPair();
  const link = new HeldLink();
  void serveLink(near, link);
  const remote = await openLink(far);
  const reading = remote.read();
  const bytes = 8 * 1024 ** 2;
  const typed = remote.write(Buffer.alloc(bytes));
  await vi.waitFor(() => expect(link.given).toBeGreaterThan(0));
  remote.acknowledge(5);
  remote.resize({ columns: 10, rows: 20 });
  remote.hangUp();
  await vi.waitFor(() => expect(link.sent).toHaveLength(3));
  expect(link.sent).toEqual(expect.arrayContaining([5, { columns: 10, rows: 20 }, 'hang up']));
  expect(near.bytesRead).toBeLessThan(1024 ** 2);
  link.let.resolve();
  await typed;
  await vi.waitFor(() => expect(link.taken).toBe(bytes));
  remote.detach();
  await reading;
});

test('control messages to a host that does not read are reduced to the latest ones', async () => {
  const [near, far] = await connectPair();
  near.pause();
  await sendFrame(near, FRAMES.started, Buffer.from('{"terminalId":"x","offset":0,"lost":0}'));
  const remote = await openLink(far);
  const typed = remote.write(Buffer.alloc(16 * 1024 ** 2));
  await nextTurn();
  const before = far.writableLength;
  for (let offset = 1; offset <= 100_000; offset += 1) {
    remote.acknowledge(offset);
    remote.resize({ columns: 1 + (offset % 100), rows: 7 });
    if (offset % 1_000 === 0) await nextTurn();
  }
  expect(far.writableLength).toBeLessThan(before + 256 * 1024);
  const seen: unknown[] = [];
  void (async () => {
    for await (const { type, payload } of readFrames(near))
      if (type !== FRAMES.stdin) seen.push(JSON.parse(payload.toString()));
  })().catch(() => undefined);
  await typed;
  await vi.waitFor(() => expect(seen).toContainEqual({ offset: 100_000 }));
  expect(seen).toContainEqual({ columns: 1, rows: 7 });
  expect(seen.length).toBeLessThan(100);
});

test('writing input does not block forever when the host is lost', async () => {
  const [near, far] = await connectPair();
  void serveLink(near, new HeldLink());
  const remote = await openLink(far);
  const typed = remote.write(Buffer.alloc(4 * 1024 ** 2));
  await nextTurn();
  near.destroy();
  await typed;
  expect(await remote.read()).toBeUndefined();
  expect(await remote.ended).toEqual({ kind: 'lost' });
});
