/** Commands: their input, their output, and the processes that they leave running. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until } from './workbench.ts';

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export const COMMAND_CASES: readonly SandboxCase[] = [
  {
    name: 'arguments reach a command unchanged',
    run: async (bench) => {
      const id = await bench.start();
      const args = [
        '',
        'a b',
        '$HOME',
        '`id`',
        "'",
        '"',
        'line\nbreak',
        '-n',
        '--',
        '*',
        'ü€😀',
        '\\',
        '\x1b[2J',
      ];
      const { stdout } = await bench.run(id, ['printf', '<%s>', ...args]);
      assert.equal(stdout, args.map((arg) => `<${arg}>`).join(''));
    },
  },
  {
    name: 'exit codes are returned, including those of signals and missing programs',
    run: async (bench) => {
      const id = await bench.start();
      const codeOf = async (...argv: [string, ...string[]]) => (await bench.run(id, argv)).exit_code;
      assert.equal(await codeOf('true'), 0);
      assert.equal(await codeOf('sh', '-c', 'exit 3'), 3);
      assert.equal(await codeOf('sh', '-c', 'exit 255'), 255);
      assert.equal(await codeOf('sh', '-c', 'kill -9 $$'), 137);
      assert.equal(await codeOf('sh', '-c', 'kill -15 $$'), 143);
      assert.equal(await codeOf('no-such-program'), 127);
      assert.equal(await codeOf('/no/such/program'), 127);
      assert.equal(await codeOf('/etc/passwd'), 126);
      assert.equal(await codeOf('--help'), 127);
    },
  },
  {
    name: 'input of any bytes arrives, including its end',
    run: async (bench) => {
      const id = await bench.start();
      const bytes = randomBytes(3_000_000);
      const { stdout } = await bench.run(id, ['sha256sum'], { stdin: bytes });
      assert.equal(stdout.split(' ')[0], digest(bytes));
      assert.equal((await bench.run(id, ['cat'])).exit_code, 0);
    },
  },
  {
    name: 'output of any bytes is returned completely, with stdout and stderr separate',
    run: async (bench) => {
      const id = await bench.start();
      const execution = await bench.exec(id, [
        'bash',
        '-c',
        'head -c 3000000 /dev/urandom | tee >(sha256sum >&2)',
      ]);
      execution.stdin.end();
      const [stdout, stderr] = await Promise.all([execution.stdout.toArray(), execution.stderr.toArray()]);
      assert.equal(digest(Buffer.concat(stdout)), Buffer.concat(stderr).toString().split(' ')[0]);
      assert.deepEqual(await execution.exit, { code: 0 });
    },
  },
  {
    name: 'output arrives as it is written, and a command accepts input while it runs',
    run: async (bench) => {
      const id = await bench.start();
      const execution = await bench.exec(id, [
        'bash',
        '-c',
        'while read -r line; do echo "got $line"; done; echo end',
      ]);
      let received = '';
      execution.stdout.on('data', (chunk: Buffer) => {
        received += chunk.toString();
      });
      for (const line of ['one', 'two', 'three']) {
        execution.stdin.write(`${line}\n`);
        await until(`an answer to ${line}`, () => received.endsWith(`got ${line}\n`));
      }
      execution.stdin.end();
      await until('the end', () => received.endsWith('end\n'));
      assert.deepEqual(await execution.exit, { code: 0 });
    },
  },
  {
    name: 'the environment contains the given variables and the default ones',
    run: async (bench) => {
      const id = await bench.start();
      const environment = {
        PLAIN: 'value',
        ODD: 'a b\n$HOME\'"=€',
        EMPTY: '',
        LD_PRELOAD: '',
        HOME: '/workspace',
      };
      const { stdout } = await bench.run(id, ['env', '-0'], { environment });
      const found = Object.fromEntries(
        stdout.split('\0').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
      );
      assert.deepEqual({ ...found, ...environment }, found);
      assert.match(found.PATH ?? '', /\/usr\/bin/);
      assert.equal(found.USER, 'user');
      const known = new Set([...Object.keys(environment), 'PATH', 'USER', 'LANG', 'PWD', '']);
      assert.deepEqual(
        Object.keys(found).filter((name) => !known.has(name)),
        [],
      );
    },
  },
  {
    name: 'a command runs in its folder, and a missing folder is refused',
    run: async (bench) => {
      const id = await bench.start();
      assert.equal(await bench.bash(id, 'pwd', { cwd: '/workspace' }), '/workspace\n');
      await bench.bash(id, 'mkdir -p "/workspace/a b"');
      assert.equal(await bench.bash(id, 'pwd', { cwd: '/workspace/a b' }), '/workspace/a b\n');
      const { status, message } = await refusalOf(bench.run(id, ['true'], { cwd: '/nowhere' }));
      assert.equal(status, 422);
      assert.match(message, /\/nowhere/);
    },
  },
  {
    name: 'commands have no privileges and no terminal, and see no foreign processes',
    run: async (bench) => {
      const id = await bench.start();
      assert.equal(await bench.bash(id, 'id -u; id -g; id -G'), '1000\n1000\n1000\n');
      const status = await bench.bash(id, 'cat /proc/self/status');
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
        assert.match(status, new RegExp(`${set}:\\s*0+\\n`));
      assert.match(status, /NoNewPrivs:\s*1/);
      assert.match(status, /Seccomp:\s*2/);
      assert.match(
        await bench.bash(id, 'test -e /proc/1/root/root/.ssh || echo no; cat /proc/1/comm'),
        /^no\n(tini|docker-init|podman-init|catatonit)\n$/,
      );
      assert.equal((await bench.run(id, ['sh', '-c', ': </dev/tty'])).exit_code === 0, false);
      assert.equal(await bench.bash(id, 'ls /proc/self/fd | sort -n | head -n 4 | tr "\\n" " "'), '0 1 2 3 ');
    },
  },
  {
    name: 'background processes of a command keep running and do not delay its end',
    run: async (bench) => {
      const id = await bench.start();
      const script =
        '(until [ -e /workspace/go ]; do echo tick; sleep 0.1; done; echo over >/workspace/ticks) & echo begun';
      assert.match(await bench.bash(id, script), /^(begun\ntick\n|tick\nbegun\n|begun\n)/);
      await bench.bash(id, 'touch /workspace/go');
      await until('its end', async () => (await bench.bash(id, 'cat /workspace/ticks || true')) === 'over\n');
    },
  },
  {
    name: 'orphans are reaped',
    run: async (bench) => {
      const id = await bench.start();
      await bench.bash(id, 'for n in $(seq 20); do (sleep 0.05 &) ; done; sleep 0.3');
      assert.equal(
        await bench.bash(id, 'grep -l "^State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l'),
        '0\n',
      );
    },
  },
  {
    name: 'a killed command ends with its child processes, and nothing else ends',
    run: async (bench) => {
      const id = await bench.start();
      await bench.bash(id, 'setsid sleep 7771 >/dev/null 2>&1 </dev/null &');
      const execution = await bench.exec(id, [
        'bash',
        '-c',
        'sleep 7772 & (sleep 7773; true) & echo begun; wait',
      ]);
      execution.stdout.resume();
      await until(
        'its children',
        async () => (await bench.bash(id, 'pgrep -cfx "sleep 777[23]" || true')).trim() !== '0',
      );
      execution.kill();
      assert.deepEqual(await execution.exit, { code: 137 });
      await until(
        'their end',
        async () => (await bench.bash(id, 'pgrep -cfx "sleep 777[23]" || true')).trim() === '0',
      );
      assert.equal((await bench.bash(id, 'pgrep -cfx "sleep 7771"')).trim(), '1');
    },
  },
  {
    name: 'twenty commands at once do not disturb each other',
    run: async (bench) => {
      const id = await bench.start();
      const numbers = Array.from({ length: 20 }, (_, n) => n);
      const texts = await Promise.all(
        numbers.map((n) =>
          bench.bash(id, `head -c 10000 | wc -c; echo ${n}`, { stdin: Buffer.alloc(10_000 + n) }),
        ),
      );
      assert.deepEqual(
        texts,
        numbers.map((n) => `10000\n${n}\n`),
      );
    },
  },
  {
    name: 'a command whose output is not read or whose input is not written ends all the same',
    run: async (bench) => {
      const id = await bench.start();
      const unread = await bench.exec(id, ['echo', 'unread']);
      assert.deepEqual(await unread.exit, { code: 0 });
      const left = await bench.exec(id, ['sleep', '600']);
      left.stdout.destroy();
      left.kill();
      assert.deepEqual(await left.exit, { code: 137 });
      await wait(20);
      assert.equal(await bench.bash(id, 'pgrep -cx sleep'), '1\n');
    },
  },
];
