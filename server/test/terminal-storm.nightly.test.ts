/** A hundred terminals with repeated network cuts: each delivers everything that is kept exactly once, and nothing is left of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Drydock } from '../../sdk/src/drydock.ts';
import type { Terminal } from '../../sdk/src/terminal.ts';
import { mapConcurrently } from '../src/platform/concurrent-map.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { startTestServer } from './harness.ts';

const KEPT_BYTES = 256 * 1024;
const LINE_BYTES = 10;
const RUNTIMES = 4;
const TERMINALS = 100;
/** Slow: each prints little and loses nothing. */
const SLOW = { lines: 60, script: 'for n in $(seq 1 60); do printf "%09d\\n" $n; sleep 0.1; done; exit 7' };
/** Waits, and then prints more than is kept, faster than an absent client can read. */
const FAST = {
  lines: 200_000,
  script:
    'until [ -e /tmp/go ]; do sleep 0.2; done; seq -f %09.0f 1 200000 | cat; echo x >> /tmp/done; exit 7',
};

const openSome = <Opened>(count: number, open: (n: number) => Promise<Opened>) => {
  const numbers = async function* () {
    yield* Array.from({ length: count }).keys();
  };
  return Array.fromAsync(mapConcurrently(numbers(), 10, open));
};

const server = await startTestServer({}, [], {
  hasSandboxes: true,
  terminals: { timings: { pingMs: 1_000 }, limits: { keptBytes: KEPT_BYTES } },
});
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;

/** Checks that every received byte is at its position, and none is there twice. */
class Reader {
  readonly terminal: Terminal;
  readonly lines: number;
  bytes = 0;
  wrong = 0;
  readonly ended: Promise<void>;

  constructor(terminal: Terminal, lines: number) {
    this.terminal = terminal;
    this.lines = lines;
    this.ended = this.#read();
  }

  async #read(): Promise<void> {
    for await (const bytes of this.terminal) {
      const from = this.terminal.offset - bytes.length;
      if (Buffer.compare(bytes, expectedAt(from, bytes.length)) !== 0) this.wrong += 1;
      this.bytes += bytes.length;
    }
  }
}

/** The expected bytes of the stream of numbers. */
function expectedAt(from: number, length: number): Buffer {
  const first = Math.floor(from / LINE_BYTES);
  const last = Math.ceil((from + length) / LINE_BYTES);
  const lines = Array.from({ length: last - first }, (_, n) => `${String(first + n + 1).padStart(9, '0')}\n`);
  return Buffer.from(lines.join('')).subarray(from - first * LINE_BYTES, from - first * LINE_BYTES + length);
}

describe.skipIf(!available)('a hundred terminals', () => {
  let proxy: CuttingProxy;
  beforeAll(async () => {
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    proxy = await CuttingProxy.open(Number(new URL(url).port));
    for (let n = 0; n < RUNTIMES; n += 1) {
      expect(await me.post('/org/main/ws/main/runtimes', { key: `r-${n}` })).toMatchObject({ status: 201 });
      expect(await me.post(`/org/main/ws/main/runtimes/r-${n}/start`)).toMatchObject({ status: 200 });
    }
  }, 120_000);
  afterAll(() => proxy.close());

  const run = async (runtime: number, command: string) => {
    const response = await me.post(`/org/main/ws/main/runtimes/r-${runtime}/exec`, { command });
    expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 });
    return response.body.stdout.trim();
  };
  /** Counts processes in terminals and their descendants. */
  const countProcesses = (runtime: number) =>
    run(runtime, 'ps -eo tty= | grep -c pts; pgrep -cx "script|seq|cat|sleep|tty|stty"; ls /dev/pts');

  test('deliver everything that is kept once, despite network cuts', async () => {
    const before = await Promise.all(Array.from({ length: RUNTIMES }, (_, n) => countProcesses(n)));
    const drydock = new Drydock({ baseUrl: proxy.url, apiKey: server.owner.key, retryPauseMs: 50 });
    const memory = process.memoryUsage();
    const readers = await openSome(TERMINALS, async (n) => {
      const { lines, script } = n % 10 === 0 ? FAST : SLOW;
      const where = { org: 'main', workspace: 'main', runtime: `r-${n % RUNTIMES}` };
      const options = { command: `stty -onlcr; ${script}`, idleTimeoutMs: 3_000 };
      return new Reader(await drydock.runtimes.openTerminal(where, options), lines);
    });
    const isOver = Promise.all(readers.map(({ ended }) => ended));
    for (let round = 0; round < 3; round += 1) {
      await sleep(700);
      proxy.cut();
    }
    await sleep(300);
    proxy.drop();
    await sleep(1_000);
    // No client is reachable, so this output is delivered to none.
    proxy.setSilent(true);
    await Promise.all(Array.from({ length: RUNTIMES }, (_, n) => run(n, 'touch /tmp/go')));
    await vi.waitFor(
      async () => {
        const done = Array.from({ length: RUNTIMES }, (_, n) => run(n, 'cat /tmp/done 2>/dev/null | wc -l'));
        expect((await Promise.all(done)).reduce((sum, count) => sum + Number(count), 0)).toBe(TERMINALS / 10);
      },
      { timeout: 40_000, interval: 500 },
    );
    proxy.setSilent(false);
    proxy.cut();
    await isOver;

    for (const { terminal, lines, bytes, wrong } of readers) {
      expect([wrong, bytes + terminal.lost, terminal.offset]).toEqual([
        0,
        lines * LINE_BYTES,
        lines * LINE_BYTES,
      ]);
      expect(await terminal.exit).toBe(7);
    }
    const slow = readers.filter(({ lines }) => lines === SLOW.lines);
    const fast = readers.filter(({ lines }) => lines === FAST.lines);
    expect(slow.filter(({ terminal }) => terminal.lost > 0)).toEqual([]);
    const overflow = FAST.lines * LINE_BYTES - KEPT_BYTES;
    expect(fast.map(({ terminal }) => terminal.lost)).toEqual(Array(TERMINALS / 10).fill(overflow));

    const grown = process.memoryUsage().rss - memory.rss;
    expect(grown).toBeLessThan(300 * 1024 ** 2);
    await vi.waitFor(
      async () => {
        const after = await Promise.all(Array.from({ length: RUNTIMES }, (_, n) => countProcesses(n)));
        expect(after).toEqual(before);
      },
      { timeout: 10_000, interval: 200 },
    );
  }, 120_000);

  test('end when they are closed and leave nothing behind', async () => {
    const before = await countProcesses(0);
    const drydock = new Drydock({ baseUrl: proxy.url, apiKey: server.owner.key });
    const where = { org: 'main', workspace: 'main', runtime: 'r-0' };
    const terminals = await openSome(30, () =>
      drydock.runtimes.openTerminal(where, { columns: 90, rows: 20 }),
    );
    for (const terminal of terminals) {
      terminal.write('sleep 4300 & sleep 4301\r');
      terminal.resize(91, 21);
    }
    await vi.waitFor(async () => expect(await run(0, 'pgrep -fcx "sleep 430[01]"')).toBe('60'), 20_000);
    for (const terminal of terminals) terminal.hangUp();
    await Promise.all(
      terminals.map(async (terminal) => {
        for await (const _ of terminal);
        expect(await terminal.exit).toBeGreaterThan(0);
      }),
    );
    await vi.waitFor(async () => expect(await countProcesses(0)).toBe(before), 10_000);
  }, 120_000);
});
