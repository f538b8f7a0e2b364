/** Terminals of a host, with real sandboxes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { showSizes } from '../../../test/terminal-scripts.ts';
import { createLog } from '../../platform/log.ts';
import { ProviderInTest } from '../../platform/sandbox/namespaces/provider-in-test.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { TerminalOwner } from './terminal.ts';
import type { TerminalLink, TerminalRequest } from './terminal-link.ts';
import { type TerminalLimits, Terminals } from './terminals.ts';

const KEPT = 256 * 1024;
const OWNER: TerminalOwner = { organizationId: 'org', runtimeId: 'runtime', sandboxId: 'one', userId: 'me' };

const host = new ProviderInTest();
const { available } = await host.provider.probe();

/** Prints each number once, and waits for a line of input before those above the first. */
const count = (first: number, all = first) =>
  `stty -echo -onlcr; seq -f %09.0f 1 ${first}; read go; seq -f %09.0f ${first + 1} ${all}; exit 5`;
const LINE_BYTES = 10;

const open = (terminals: Terminals, script: string, more: Partial<TerminalRequest> = {}) => {
  const command = { argv: ['sh', '-c', script] as const, cwd: '/', environment: {} };
  return terminals.attach(host.provider, OWNER, { after: 0, acknowledges: false, command, ...more });
};

const again = (
  terminals: Terminals,
  terminalId: string,
  after: number,
  more: Partial<TerminalRequest> = {},
) => open(terminals, '', { terminalId, after, ...more });

/** Reads this many bytes, or until the end. */
async function read(link: TerminalLink, bytes = Infinity): Promise<string> {
  let text = '';
  while (text.length < bytes) {
    const piece = await link.read();
    if (!piece) break;
    text += piece.toString('latin1');
  }
  return text;
}

/** @throws when the terminal ends before it has shown the text */
async function readTo(link: TerminalLink, end: string): Promise<string> {
  let text = '';
  while (!text.endsWith(end)) {
    const piece = await read(link, 1);
    if (piece === '') throw new Error(`the terminal ended after ${JSON.stringify(text)}`);
    text += piece;
  }
  return text;
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => `${String(first + n).padStart(9, '0')}\n`).join('');

async function withTerminals<T>(limits: Partial<TerminalLimits>, work: (terminals: Terminals) => Promise<T>) {
  const terminals = new Terminals(createLog('silent'), { keptBytes: KEPT, ...limits });
  try {
    return await work(terminals);
  } finally {
    await terminals.close();
    expect((await host.run('one', 'ls /dev/pts')).stdout).not.toMatch(/\d/);
  }
}

describe.skipIf(!available)('terminals of a host', () => {
  beforeAll(() => host.start('one'));
  afterAll(() => host.close());

  test('a terminal sends output to the attached client and reports its exit code', () =>
    withTerminals({}, async (terminals) => {
      const link = await open(terminals, count(100));
      expect([link.offset, link.lost]).toEqual([0, 0]);
      expect(await read(link, 100 * LINE_BYTES)).toBe(numbers(1, 100));
      await link.write(Buffer.from('go\n'));
      expect(await read(link)).toBe('');
      expect(await link.ended).toEqual({ kind: 'exit', code: 5 });
    }));

  test('a terminal keeps running without a client, and a returning client gets the kept output and the number of lost bytes', () =>
    withTerminals({}, async (terminals) => {
      const first = await open(terminals, count(1_000, 50_000));
      const seen = await read(first, 500 * LINE_BYTES);
      await first.write(Buffer.from('go\n'));
      first.detach();
      expect(await first.ended).toEqual({ kind: 'detached' });
      await vi.waitFor(() => expect(terminals.get(OWNER, first.terminalId).exitCode).toBe(5));
      const second = await again(terminals, first.terminalId, seen.length);
      const all = numbers(1, 50_000);
      expect(second.offset).toBe(all.length - KEPT);
      expect(second.lost).toBe(second.offset - seen.length);
      expect((await read(second)) === all.slice(second.offset)).toBe(true);
      expect(await second.ended).toEqual({ kind: 'exit', code: 5 });
      const third = await again(terminals, first.terminalId, all.length);
      expect([third.offset, third.lost, await read(third)]).toEqual([all.length, 0, '']);
    }));

  test('a terminal blocks its program while the client does not read', () =>
    withTerminals({}, async (terminals) => {
      const link = await open(terminals, 'stty -onlcr; seq -f %09.0f 1 90000; exit 6');
      await sleep(300);
      const terminal = terminals.get(OWNER, link.terminalId);
      expect(terminal.shown.start).toBe(0);
      expect(terminal.shown.end).toBeLessThan(KEPT);
      expect((await read(link)) === numbers(1, 90_000)).toBe(true);
      expect(await link.ended).toEqual({ kind: 'exit', code: 6 });
    }));

  test('a terminal keeps output until it is acknowledged, so that a network failure loses nothing', () =>
    withTerminals({}, async (terminals) => {
      const link = await open(terminals, 'stty -onlcr; seq -f %09.0f 1 90000; exit 6', {
        acknowledges: true,
      });
      const reading = read(link);
      await sleep(300);
      const { shown } = terminals.get(OWNER, link.terminalId);
      expect(shown.start).toBe(0);
      link.acknowledge(100_000);
      await vi.waitFor(() => expect(shown.end).toBeGreaterThan(KEPT / 2 + 50_000));
      expect(shown.start).toBeLessThanOrEqual(100_000);
      const second = await again(terminals, link.terminalId, 100_000);
      await reading;
      expect(await link.ended).toEqual({ kind: 'taken_over' });
      expect([second.offset, second.lost]).toEqual([100_000, 0]);
      expect((await read(second)) === numbers(1, 90_000).slice(100_000)).toBe(true);
    }));

  test('a terminal is taken over by the last client that attaches', () =>
    withTerminals({}, async (terminals) => {
      const script = 'stty -echo; echo ready; while read line; do echo "got $line"; done';
      const first = await open(terminals, script);
      await read(first, 7);
      const waiting = first.read();
      const second = await again(terminals, first.terminalId, 7);
      expect([await waiting, await first.ended]).toEqual([undefined, { kind: 'taken_over' }]);
      await first.write(Buffer.from('no longer\n'));
      await second.write(Buffer.from('this\n'));
      expect(await read(second, 'got this\r\n'.length)).toBe('got this\r\n');
    }));

  test('a terminal is invisible to other owners, and refuses output positions beyond its end', () =>
    withTerminals({}, async (terminals) => {
      const { terminalId } = await open(terminals, 'echo hello; sleep 4100');
      await expect(again(terminals, uuidv7(), 0)).rejects.toMatchObject({ status: 404 });
      for (const other of ['organizationId', 'runtimeId', 'sandboxId', 'userId']) {
        expect(() => terminals.get({ ...OWNER, [other]: 'another' }, terminalId)).toThrow(/not found/);
      }
      await expect(again(terminals, terminalId, 1_000)).rejects.toMatchObject({
        status: 422,
        issues: [{ loc: ['after'] }],
      });
    }));

  test('terminals are limited per sandbox and per process, and ended ones are dropped first', () =>
    withTerminals({ perSandbox: 2, perProcess: 3 }, async (terminals) => {
      const short = await open(terminals, 'exit 0');
      await read(short);
      const links = await Promise.allSettled(Array.from({ length: 3 }, () => open(terminals, 'sleep 4101')));
      expect(links.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect(links.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { type: 'conflict_error', message: expect.stringMatching(/at most 2/) },
      });
      expect(terminals.count).toBe(3);
      await host.start('two');
      const elsewhere = { ...OWNER, sandboxId: 'two' };
      const command = { argv: ['sleep', '4102'] as const, cwd: '/', environment: {} };
      const request = { after: 0, acknowledges: false, command };
      await terminals.attach(host.provider, elsewhere, request);
      expect(() => terminals.get(OWNER, short.terminalId)).toThrow(/not found/);
      await expect(terminals.attach(host.provider, elsewhere, request)).rejects.toMatchObject({
        status: 429,
      });
      await host.provider.kill('two');
      terminals.forget('two');
      expect(terminals.count).toBe(2);
    }));

  test('a terminal ends when no client returns, but not while the sandbox is paused', () =>
    withTerminals({ detachedMs: 400 }, async (terminals) => {
      const link = await open(terminals, 'echo ready; sleep 4103');
      await read(link, 7);
      await sleep(800);
      link.detach();
      await host.provider.pause('one');
      await sleep(1_000);
      expect(terminals.get(OWNER, link.terminalId).exitCode).toBeUndefined();
      await host.provider.resume('one');
      await vi.waitFor(() => expect(terminals.count).toBe(0));
      expect((await host.run('one', 'pgrep -fx "sleep 4103"')).stdout).toBe('');
    }));

  test('terminals without clients end even if one of them cannot be inspected', () =>
    withTerminals({ detachedMs: 400 }, async (terminals) => {
      const broken = Object.assign(Object.create(host.provider), {
        inspect: () => Promise.reject(new Error('the engine is gone')),
      });
      const command = { argv: ['sleep', '4104'] as const, cwd: '/', environment: {} };
      const request = { after: 0, acknowledges: false, command };
      const first = await terminals.attach(broken, OWNER, request);
      const second = await terminals.attach(host.provider, OWNER, request);
      for (const link of [first, second]) link.detach();
      await vi.waitFor(() => expect(() => terminals.get(OWNER, second.terminalId)).toThrow());
      expect(terminals.get(OWNER, first.terminalId).exitCode).toBeUndefined();
    }));

  test('a terminal takes the size of an attaching client, after resume if the sandbox is paused', () =>
    withTerminals({}, async (terminals) => {
      const script = `stty size; ${showSizes()}`;
      const first = await open(terminals, script, { size: { columns: 50, rows: 20 } });
      const shown = await readTo(first, 'ready\r\n');
      expect(shown).toBe('20 50\r\nready\r\n');
      const size = { columns: 60, rows: 21 };
      const second = await again(terminals, first.terminalId, shown.length, { size });
      await readTo(second, '21 60\r\n');
      await host.provider.pause('one');
      for (let columns = 61; columns <= 70; columns += 1) second.resize({ columns, rows: 22 });
      await sleep(100);
      await host.provider.resume('one');
      await readTo(second, '22 70\r\n');
      second.hangUp();
      await read(second);
      expect(await second.ended).toMatchObject({ kind: 'exit' });
    }));

  test('terminals with much unseen output cost the process little, and end', () =>
    withTerminals({}, async (terminals) => {
      const link = await open(terminals, 'yes');
      await read(link, 100);
      link.detach();
      await sleep(100);
      const { shown } = terminals.get(OWNER, link.terminalId);
      const before = shown.end;
      await sleep(500);
      expect(shown.end).toBeGreaterThan(before);
      expect(shown.end - before).toBeLessThan(8 * 1024 ** 2);
      expect(shown.end - shown.start).toBe(KEPT);
    }));
});
