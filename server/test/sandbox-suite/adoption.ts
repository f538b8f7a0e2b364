/** Sandboxes of a killed process that another process takes over. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { LeftBehind } from './left-behind.ts';
import { listProcesses } from './leftovers.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until, type Workbench } from './workbench.ts';

const LEFT_BEHIND = join(import.meta.dirname, 'left-behind.ts');

/** Starts them in a child process and kills it: when it is done, or a given time after it began. */
export async function leaveBehind(
  bench: Workbench,
  plan: readonly LeftBehind[],
  afterMs?: number,
): Promise<void> {
  const { folder, engine } = bench.under;
  const args = [LEFT_BEHIND, folder, JSON.stringify(plan), ...(engine ? [JSON.stringify(engine)] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const untilLine = (wanted: string) =>
    new Promise<void>((resolve) => lines.on('line', (line) => line === wanted && resolve()));
  const ended = exited.then(() => assert.fail('it ended before it was killed'));
  ended.catch(() => undefined);
  await Promise.race([afterMs === undefined ? untilLine('ready') : untilLine('begun'), ended]);
  if (afterMs !== undefined) await wait(afterMs);
  child.kill('SIGKILL');
  await exited;
}

export const ADOPTION_CASES: readonly SandboxCase[] = [
  {
    name: 'a sandbox is taken over with its processes and remains fully usable',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      const spec = next.toSpec({ hostname: 'kept' });
      const scripts = ['echo mine >/tmp/note; setsid sleep 7781 >/dev/null 2>&1 </dev/null &'];
      await leaveBehind(next, [{ spec, scripts, running: 'sleep 7782' }]);
      assert.deepEqual(await next.provider.list(), [spec.id]);
      assert.deepEqual(await next.provider.adopt(spec.id), { state: 'running' });
      assert.equal(
        await next.bash(spec.id, 'cat /tmp/note; echo $(cat /etc/hostname); pgrep -cfx "sleep 7781"'),
        'mine\nkept\n1\n',
      );
      // The foreground command of the dead process ended with it.
      await until(
        'its end',
        async () => (await next.run(spec.id, ['pgrep', '-fx', 'sleep 7782'])).exit_code === 1,
      );
      assert.deepEqual(await next.provider.adopt(spec.id), { state: 'running' });
      await next.provider.stats(spec.id);
      const traces = await next.trace(spec.id);
      await next.provider.kill(spec.id);
      next.assertGone(traces, true);
      assert.deepEqual(next.under.ended, []);
    },
  },
  {
    name: 'the process that took over a sandbox reports its end',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      const spec = next.toSpec();
      await leaveBehind(next, [{ spec }]);
      await next.provider.adopt(spec.id);
      const traces = await next.trace(spec.id);
      await next.run(spec.id, ['bash', '-c', 'kill 1; pkill -x sleep']).catch(() => undefined);
      await until('the news', () => next.under.ended.length === 1);
      await until('the end of the rest', async () => (await next.provider.list()).length === 0);
      next.assertGone(traces, true);
    },
  },
  {
    name: 'a paused sandbox is taken over paused and continues when it is resumed',
    needs: 'pause',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      const spec = next.toSpec();
      const scripts = [
        'setsid bash -c "while :; do date +%s%N >/workspace/now; sleep 0.02; done" >/dev/null 2>&1 </dev/null &',
      ];
      await leaveBehind(next, [{ spec, scripts, isPaused: true }]);
      assert.deepEqual(await next.provider.adopt(spec.id), { state: 'paused' });
      assert.equal((await refusalOf(next.run(spec.id, ['true']))).status, 409);
      const resumedAt = Date.now();
      await next.provider.resume(spec.id);
      await until(
        'the time',
        async () => Number(await next.bash(spec.id, 'cat /workspace/now')) / 1e6 > resumedAt,
      );
      await next.provider.pause(spec.id);
      await next.provider.kill(spec.id);
    },
  },
  {
    name: 'a sandbox that ended without a supervisor is reported as gone with the time of its end, and leaves nothing behind',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      const spec = next.toSpec();
      const scripts = [
        'setsid bash -c "sleep 0.5; date +%s%3N >/workspace/ended; kill 1; pkill -x sleep" >/dev/null 2>&1 </dev/null &',
      ];
      await leaveBehind(next, [{ spec, scripts }]);
      await until('its end', () => listProcesses(spec.id, [], bench.under.engine).length === 0);
      await wait(300);
      const adoptedAt = Date.now();
      const inspected = await next.provider.adopt(spec.id);
      assert.equal(inspected.state, 'gone');
      next.assertGone({ id: spec.id, namespaces: [] });
      await next.start({ ...spec, id: next.newId() });
      const [id = ''] = await next.provider.list();
      const ended = Number(await next.bash(id, 'cat /workspace/ended'));
      const endedAt = inspected.state === 'gone' ? (inspected.endedAt?.getTime() ?? 0) : 0;
      // File times lag by up to 10 ms.
      assert.ok(
        endedAt > ended - 50 && endedAt < adoptedAt,
        `${endedAt} is not between ${ended} and ${adoptedAt}`,
      );
    },
  },
  {
    name: 'a sandbox that never existed is reported as gone',
    run: async (bench) => {
      assert.deepEqual(await bench.provider.adopt(bench.newId()), { state: 'gone', endedAt: undefined });
    },
  },
  {
    name: 'starts that were interrupted at any moment are listed and can be killed',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      for (const afterMs of bench.under.engine ? [0, 60, 150, 300] : [0, 10, 25]) {
        const plan = [{ spec: next.toSpec() }, { spec: next.toSpec({ egressAllow: ['ok.test'] }) }];
        await leaveBehind(next, plan, afterMs);
        // The engine continues the operation that it was asked for.
        if (bench.under.engine) await wait(1_000);
        const left = plan
          .filter(({ spec }) => listProcesses(spec.id, [], bench.under.engine).length > 0)
          .map(({ spec }) => spec.id);
        const listed = await next.provider.list();
        assert.deepEqual(
          left.filter((id) => !listed.includes(id)),
          [],
          `after ${afterMs} ms`,
        );
        for (const id of listed) await next.provider.kill(id);
        for (const { spec } of plan) next.assertGone({ id: spec.id, namespaces: [] });
        assert.deepEqual(await next.provider.list(), []);
      }
    },
  },
  {
    name: 'a closed provider releases its sandboxes, which keep running',
    run: async (bench) => {
      const elsewhere = await bench.openElsewhere();
      const id = await elsewhere.start();
      await elsewhere.bash(id, 'setsid sleep 7791 >/dev/null 2>&1 </dev/null &');
      await elsewhere.provider.close();
      const { openProvider } = await import('./provider-under-test.ts');
      const { provider } = openProvider(elsewhere.under.folder, elsewhere.under.engine);
      assert.deepEqual(await provider.adopt(id), { state: 'running' });
      const execution = await provider.exec(id, {
        argv: ['pgrep', '-fx', 'sleep 7791'],
        cwd: '/',
        environment: {},
      });
      assert.deepEqual(await execution.exit, { code: 0 });
      await provider.kill(id);
      await provider.close();
    },
  },
];
