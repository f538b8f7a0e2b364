/** Programs at terminals. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command, TerminalProcess, TerminalSize } from '../../src/platform/sandbox/sandbox-provider.ts';
import { showSizes } from '../terminal-scripts.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until, type Workbench } from './workbench.ts';

const SIZE = { columns: 100, rows: 30 };
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The output of a terminal so far. */
class Seen {
  readonly terminal: TerminalProcess;
  readonly #chunks: Buffer[] = [];

  constructor(terminal: TerminalProcess) {
    this.terminal = terminal;
    terminal.output.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString('latin1');
  }

  type(text: string | Buffer): void {
    this.terminal.input.write(text);
  }

  async until(pattern: RegExp): Promise<void> {
    await until(`${pattern} in ${JSON.stringify(this.text.slice(-200))}`, () => pattern.test(this.text));
  }

  async hangUp(): Promise<void> {
    this.terminal.kill();
    await this.terminal.exit;
  }
}

async function open(
  bench: Workbench,
  id: string,
  argv: Command['argv'],
  size: TerminalSize = SIZE,
): Promise<Seen> {
  const command = { argv, cwd: '/workspace', environment: { TERM: 'xterm-256color' } };
  return new Seen(await bench.provider.openTerminal(id, command, size));
}

async function count(bench: Workbench, id: string, pattern: string): Promise<number> {
  return Number((await bench.run(id, ['pgrep', '-fc', pattern])).stdout);
}

export const TERMINAL_CASES: readonly SandboxCase[] = [
  {
    name: 'a program has a terminal of the requested size and leads its session',
    run: async (bench) => {
      const id = await bench.start();
      const script = 'stty size; tty; echo $TERM; ps -o pid=,sid=,tpgid= -p $$; pwd; exit 7';
      const seen = await open(bench, id, ['sh', '-c', script]);
      assert.deepEqual(await seen.terminal.exit, { code: 7 });
      assert.match(
        seen.text,
        /^30 100\r\n\/dev\/pts\/\d+\r\nxterm-256color\r\n +(\d+) +\1 +\1\r\n\/workspace\r\n$/,
      );
    },
  },
  {
    name: 'input is echoed and read, and an interrupt ends the foreground process',
    run: async (bench) => {
      const id = await bench.start();
      const seen = await open(bench, id, ['bash', '--norc']);
      seen.type('echo $((6 * 7))\r');
      await seen.until(/[\r\n]42\r\n/);
      seen.type('sleep 4001; echo no\r');
      await until('its child', async () => (await count(bench, id, '^sleep 4001$')) === 1);
      seen.type('\x03');
      await until('its end', async () => (await count(bench, id, '^sleep 4001$')) === 0);
      seen.type('exit 3\r');
      assert.deepEqual(await seen.terminal.exit, { code: 3 });
      assert.doesNotMatch(seen.text, /^no/m);
    },
  },
  {
    name: 'a new size is reported to the program in the terminal',
    run: async (bench) => {
      const id = await bench.start();
      const seen = await open(bench, id, ['sh', '-c', showSizes()]);
      await seen.until(/ready/);
      await seen.terminal.resize({ columns: 77, rows: 33 });
      await seen.until(/33 77/);
      await seen.hangUp();
      await seen.terminal.resize({ columns: 10, rows: 10 });
    },
  },
  {
    name: 'a terminal passes any number of bytes in both directions',
    needs: 'terminal both ways',
    run: async (bench) => {
      const id = await bench.start();
      const seen = await open(bench, id, ['sh', '-c', 'stty raw -echo; echo ready; exec cat']);
      await seen.until(/ready\n/);
      // Docker holds back a ctrl-^ until it has the byte after it.
      const bytes = Buffer.concat([randomBytes(2 * 1024 ** 2), Buffer.from('z')]);
      seen.type(bytes);
      await until('all of it', () => seen.bytes.length === bytes.length + 6);
      assert.equal(digest(seen.bytes.subarray(6)), digest(bytes));
      await seen.hangUp();
    },
  },
  {
    name: 'unread output blocks the program, and unread input does not block the client',
    needs: 'terminal both ways',
    run: async (bench) => {
      const id = await bench.start();
      const script = 'stty raw -echo; echo ready; yes | head -c 9000000; touch /tmp/all-shown; exit 4';
      const seen = await open(bench, id, ['sh', '-c', script]);
      await seen.until(/ready/);
      seen.terminal.output.pause();
      seen.type(Buffer.alloc(2 * 1024 ** 2));
      await wait(300);
      assert.notEqual((await bench.run(id, ['ls', '/tmp/all-shown'])).exit_code, 0);
      seen.terminal.output.resume();
      assert.deepEqual(await seen.terminal.exit, { code: 4 });
      await until('all of it', () => seen.bytes.length === 9_000_006);
    },
  },
  {
    name: "closing a terminal ends the program's whole session, including processes that ignore the hang-up",
    run: async (bench) => {
      const id = await bench.start();
      const seen = await open(bench, id, ['bash', '--norc']);
      seen.type("sleep 4002 & (trap '' HUP; exec sleep 4003) & (exec setsid sleep 4004) &\r");
      seen.type("(trap '' HUP; exec sleep 4005)\r");
      await until('its children', async () => (await count(bench, id, '^sleep 400[2345]$')) === 4);
      await seen.hangUp();
      assert.equal(await count(bench, id, '^sleep 400[235]$'), 0);
      assert.equal(await count(bench, id, '^sleep 4004$'), 1, 'it had left the session');
    },
  },
  {
    name: 'a shell that ends leaves its background processes running',
    run: async (bench) => {
      const id = await bench.start();
      const seen = await open(bench, id, ['bash', '--norc']);
      seen.type('sleep 4006 & disown\r');
      await until('its child', async () => (await count(bench, id, '^sleep 4006$')) === 1);
      seen.type('exit\r');
      assert.deepEqual(await seen.terminal.exit, { code: 0 });
      assert.equal(await count(bench, id, '^sleep 4006$'), 1);
    },
  },
  {
    name: 'the exit code of a terminal reports a missing program and a killed one',
    run: async (bench) => {
      const id = await bench.start();
      assert.deepEqual(await (await open(bench, id, ['no-such-program'])).terminal.exit, { code: 127 });
      assert.deepEqual(await (await open(bench, id, ['sh', '-c', 'kill -9 $$'])).terminal.exit, {
        code: 137,
      });
    },
  },
  {
    name: 'a terminal is refused if its folder or the sandbox does not exist',
    run: async (bench) => {
      const id = await bench.start();
      const command = { argv: ['sh'] as const, cwd: '/nowhere', environment: {} };
      assert.equal((await refusalOf(bench.provider.openTerminal(id, command, SIZE))).status, 422);
      const none = bench.provider.openTerminal(bench.newId(), command, SIZE);
      assert.equal((await refusalOf(none)).status, 409);
    },
  },
  {
    name: 'a terminal stops while the sandbox is paused, and then continues with the input typed in between',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      const script = 'stty -echo; echo ready; while read -r line; do echo "got $line"; done';
      const seen = await open(bench, id, ['sh', '-c', script]);
      await seen.until(/ready/);
      await bench.provider.pause(id);
      seen.type('meanwhile\n');
      assert.equal((await refusalOf(seen.terminal.resize({ columns: 50, rows: 20 }))).status, 409);
      await wait(200);
      assert.equal(seen.text, 'ready\r\n');
      await bench.provider.resume(id);
      await seen.until(/got meanwhile\r\n$/);
      await seen.hangUp();
    },
  },
  {
    name: 'a terminal ends with the sandbox and leaves nothing behind',
    run: async (bench) => {
      const id = await bench.start();
      const traces = await bench.trace(id);
      const seen = await open(bench, id, ['sleep', '4007']);
      await bench.provider.kill(id);
      assert.deepEqual(await seen.terminal.exit, { code: 137 });
      assert.equal(seen.text, '');
      bench.assertGone(traces);
    },
  },
];
