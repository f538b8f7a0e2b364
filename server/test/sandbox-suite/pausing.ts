/** A pause keeps all state and costs nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { readTicks } from './leftovers.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until, type Workbench } from './workbench.ts';

/** Counts in memory as fast as it can, and prints the count on a signal. */
const COUNTER = `import os, signal, threading
count = 0
def tell(*_):
    with open('/workspace/draft', 'w') as file: file.write(str(count))
    os.rename('/workspace/draft', '/workspace/count')
signal.signal(signal.SIGUSR1, tell)
tell()
threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
while True: count += 1
`;

/** Stops every process that enters the sandbox after it. */
const STOPPER = `import os, signal
known = set(os.listdir('/proc'))
print('watches', flush=True)
while True:
    for pid in filter(str.isdigit, set(os.listdir('/proc')) - known):
        try: os.kill(int(pid), signal.SIGSTOP)
        except OSError: pass
`;

async function startCounter(bench: Workbench, id: string): Promise<void> {
  await bench.bash(id, 'cat >/workspace/counter.py', { stdin: COUNTER });
  await bench.bash(id, 'setsid python3 /workspace/counter.py >/dev/null 2>&1 </dev/null &');
  await until(
    'the counter',
    async () => (await bench.run(id, ['test', '-e', '/workspace/count'])).exit_code === 0,
  );
}

async function readCount(bench: Workbench, id: string): Promise<number> {
  await bench.bash(id, 'rm /workspace/count; pkill -USR1 -f [c]ounter.py');
  await until(
    'its count',
    async () => (await bench.run(id, ['test', '-e', '/workspace/count'])).exit_code === 0,
  );
  return Number(await bench.bash(id, 'cat /workspace/count'));
}

export const PAUSING_CASES: readonly SandboxCase[] = [
  {
    name: 'a process that stops entering commands does not delay a pause',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      const stopper = await bench.exec(id, ['python3', '-c', STOPPER]);
      await once(stopper.stdout, 'data');
      // Some commands run before they are seen: commands are sent until one seems to be stopped.
      let command: Promise<unknown> = Promise.resolve();
      for (let isHeld = false, n = 0; n < 30 && !isHeld; n++) {
        command = bench.exec(id, ['true']).catch(() => undefined);
        isHeld = await Promise.race([command.then(() => false), wait(500, true)]);
      }
      await bench.provider.pause(id);
      assert.deepEqual(await bench.provider.inspect(id), { state: 'paused' });
      await command;
      await bench.provider.kill(id);
    },
  },
  {
    name: 'a paused sandbox uses no CPU time and continues where it was',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      const { namespaces } = await bench.trace(id);
      const namespace = namespaces[0] ?? '';
      await startCounter(bench, id);
      const before = await readCount(bench, id);
      await bench.provider.pause(id);
      assert.deepEqual(await bench.provider.inspect(id), { state: 'paused' });
      const ticks = readTicks(namespace);
      assert.ok(ticks > 0, 'no processes were found');
      await wait(300);
      assert.equal(readTicks(namespace), ticks);
      await bench.provider.resume(id);
      assert.deepEqual(await bench.provider.inspect(id), { state: 'running' });
      assert.ok((await readCount(bench, id)) > before);
      assert.equal(await bench.bash(id, 'pgrep -cf [c]ounter.py'), '1\n');
    },
  },
  {
    name: 'a command that runs through a pause ends as if there had been none',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      const running = bench.run(
        id,
        ['bash', '-c', 'read -r line; echo begun; sleep 0.3; echo "ended $line"'],
        { stdin: 'well\n' },
      );
      await wait(100);
      await bench.provider.pause(id);
      await wait(500);
      await bench.provider.resume(id);
      const { exit_code, stdout } = await running;
      assert.deepEqual({ exit_code, stdout }, { exit_code: 0, stdout: 'begun\nended well\n' });
    },
  },
  {
    name: 'neither a refused pause nor a refused command changes anything',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      assert.equal((await refusalOf(bench.provider.resume(id))).status, 409);
      await bench.provider.pause(id);
      assert.equal((await refusalOf(bench.provider.pause(id))).status, 409);
      const refusal = await refusalOf(bench.run(id, ['true']));
      assert.equal(refusal.status, 409);
      assert.match(refusal.message, /[Rr]esume/);
      await bench.provider.resume(id);
      assert.equal((await refusalOf(bench.provider.resume(id))).status, 409);
      await bench.bash(id, 'true');
    },
  },
  {
    name: 'many consecutive pauses lose nothing, even while commands start',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      const results: Promise<number>[] = [];
      for (let n = 0; n < 10; n++) {
        const running = bench.exec(id, ['true']).then(async ({ stdout, stderr, exit }) => {
          stdout.resume();
          stderr.resume();
          return (await exit).code;
        });
        running.catch(() => undefined);
        results.push(running);
        await bench.provider.pause(id);
        await bench.provider.resume(id);
      }
      assert.deepEqual(
        await Promise.all(results),
        Array.from({ length: 10 }, () => 0),
      );
      assert.equal(await bench.bash(id, 'echo alive'), 'alive\n');
    },
  },
  {
    name: 'a pause also stops a fork storm',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start({ limits: {} });
      const { namespaces } = await bench.trace(id);
      const namespace = namespaces[0] ?? '';
      await bench.bash(
        id,
        'for n in 1 2 3; do setsid bash -c "while :; do /bin/true; done" >/dev/null 2>&1 </dev/null & done',
      );
      await wait(100);
      await bench.provider.pause(id);
      const ticks = readTicks(namespace);
      await wait(300);
      assert.equal(readTicks(namespace), ticks);
      await bench.provider.resume(id);
      await bench.bash(id, 'pkill -f [/]bin/true');
    },
  },
  {
    name: 'a paused sandbox can be killed and leaves nothing behind',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      const traces = await bench.trace(id);
      const execution = await bench.exec(id, ['sleep', '600']);
      await bench.provider.pause(id);
      await bench.provider.kill(id);
      bench.assertGone(traces);
      assert.deepEqual(await execution.exit, { code: 137 });
    },
  },
];
