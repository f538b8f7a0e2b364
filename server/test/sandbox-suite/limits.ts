/** Claimed limits are enforced, and others are refused. */
import assert from 'node:assert/strict';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until, type Workbench } from './workbench.ts';

const FILL = 'import sys; data = bytearray(int(sys.argv[1]) * 1024 * 1024); print(len(data))';
/** Prints how many processes it could create; they end after two seconds. */
const STORM = `import os, time
for made in range(100):
    try: child = os.fork()
    except OSError: break
    if child == 0:
        os.setsid(); os.close(1); os.close(2)
        time.sleep(2); os._exit(0)
print(made)
`;
const SPIN = 'setsid bash -c "while :; do :; done" >/dev/null 2>&1 </dev/null &';

async function assertRefused(bench: Workbench, limits: Record<string, number>, name: RegExp): Promise<void> {
  const spec = bench.toSpec({ limits });
  const refusal = await refusalOf(bench.provider.start(spec));
  assert.ok([409, 502].includes(refusal.status), `answered ${refusal.status}`);
  assert.match(refusal.message, name);
  bench.assertGone({ id: spec.id, namespaces: [] });
}

export const LIMIT_CASES: readonly SandboxCase[] = [
  {
    name: 'a process that exceeds the memory limit is ended, but not the sandbox',
    needs: 'memory limit',
    run: async (bench) => {
      const id = await bench.start({ limits: { memoryMb: 128 } });
      assert.equal((await bench.run(id, ['python3', '-c', FILL, '64'])).stdout, `${64 * 1024 * 1024}\n`);
      assert.equal((await bench.run(id, ['python3', '-c', FILL, '512'])).exit_code, 137);
      const { exit_code } = await bench.run(id, ['bash', '-c', 'head -c 400000000 /dev/zero >/dev/shm/fill']);
      assert.notEqual(exit_code, 0);
      assert.equal(await bench.bash(id, 'rm -f /dev/shm/fill; echo alive'), 'alive\n');
    },
  },
  {
    name: 'a memory limit that cannot be enforced is refused',
    needs: 'no memory limit',
    run: (bench) => assertRefused(bench, { memoryMb: 128 }, /memory/),
  },
  {
    name: 'processes beyond the limit are not created until others end',
    needs: 'pids limit',
    run: async (bench) => {
      const id = await bench.start({ limits: { pids: 40 } });
      const { stdout } = await bench.run(id, ['python3', '-c', STORM]);
      const made = Number(stdout);
      assert.ok(made > 10 && made < 40, `${made} were made`);
      const { processes } = await bench.provider.stats(id);
      assert.ok(processes <= 40, `${processes} processes`);
      const other = await bench.start({ limits: { pids: 40 } });
      assert.equal(await bench.bash(other, 'echo not held up'), 'not held up\n');
      await until('room again', async () => {
        const output = await bench.run(id, ['echo', 'alive']).catch(() => undefined);
        return output?.stdout === 'alive\n';
      });
    },
  },
  {
    name: 'a process limit that cannot be enforced is refused',
    needs: 'no pids limit',
    run: (bench) => assertRefused(bench, { pids: 40 }, /pids|process/),
  },
  {
    name: 'a CPU limit below one core is enforced',
    needs: 'cpu limit',
    run: async (bench) => {
      const id = await bench.start({ limits: { cpuCores: 0.25 } });
      await bench.bash(id, `${SPIN} ${SPIN}`);
      const [before, began] = [await bench.provider.stats(id), performance.now()];
      await new Promise((waited) => setTimeout(waited, 1_000));
      const [after, ended] = [await bench.provider.stats(id), performance.now()];
      const used = (after.cpuSeconds ?? Number.NaN) - (before.cpuSeconds ?? Number.NaN);
      const share = used / ((ended - began) / 1000);
      assert.ok(share > 0.05 && share < 0.45, `a share of ${share}`);
    },
  },
  {
    name: 'a CPU limit that cannot be enforced is refused',
    needs: 'no cpu limit',
    run: (bench) => assertRefused(bench, { cpuCores: 1 }, /cpu/),
  },
  {
    name: 'usage figures are those of the sandbox alone and grow with its work',
    run: async (bench) => {
      const id = await bench.start();
      const before = await bench.provider.stats(id);
      assert.ok(before.processes >= 1 && before.processes < 10, `${before.processes} processes`);
      await bench.bash(
        id,
        `for n in 1 2 3 4 5; do setsid sleep 60 >/dev/null 2>&1 </dev/null & done; ${SPIN} sleep 0.5`,
      );
      const after = await bench.provider.stats(id);
      assert.ok(after.processes >= before.processes + 6, `${after.processes} processes`);
      assert.ok((after.memoryBytes ?? 0) > 100_000, `${after.memoryBytes} bytes`);
      assert.ok((after.cpuSeconds ?? 0) - (before.cpuSeconds ?? 0) > 0.05, `${after.cpuSeconds} seconds`);
    },
  },
];
