/** The end of a sandbox, requested or not. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until } from './workbench.ts';

/** Ends the process that process 1 waits for. */
const END = 'kill 1; pkill -x sleep; true';

export const ENDING_CASES: readonly SandboxCase[] = [
  {
    name: 'a kill leaves no process, mount, cgroup, socket or file behind',
    run: async (bench) => {
      const id = await bench.start({ egressAllow: ['ok.test'] });
      const traces = await bench.trace(id);
      await bench.bash(
        id,
        'for n in 1 2 3; do setsid nohup bash -c "trap : TERM INT HUP; while :; do sleep 1; done" >/dev/null 2>&1 & done',
      );
      const running = await bench.exec(id, ['bash', '-c', 'trap : TERM; sleep 600 & sleep 600']);
      assert.ok((await bench.provider.list()).includes(id));
      await bench.provider.kill(id);
      bench.assertGone(traces);
      assert.deepEqual(await running.exit, { code: 137 });
      assert.ok(!(await bench.provider.list()).includes(id));
      assert.deepEqual((await bench.provider.inspect(id)).state, 'gone');
    },
  },
  {
    name: 'a repeated kill, or that of a missing sandbox, does nothing, and a killed sandbox accepts no commands',
    run: async (bench) => {
      const id = await bench.start();
      await Promise.all([bench.provider.kill(id), bench.provider.kill(id)]);
      await bench.provider.kill(id);
      await bench.provider.kill(bench.newId());
      const { provider } = bench;
      for (const work of [
        () => bench.run(id, ['true']),
        () => provider.pause(id),
        () => provider.resume(id),
        () => provider.stats(id),
      ]) {
        assert.equal((await refusalOf(work())).status, 409);
      }
      assert.ok(!bench.under.ended.some((event) => event.id === id), 'a kill is no news');
    },
  },
  {
    name: 'a kill while commands start leaves nothing behind',
    run: async (bench) => {
      const id = await bench.start();
      const traces = await bench.trace(id);
      const beginning = Array.from({ length: 8 }, () =>
        bench.run(id, ['sleep', '600']).then(({ exit_code }) => exit_code),
      );
      const settled = Promise.allSettled(beginning);
      await wait(4);
      await bench.provider.kill(id);
      for (const result of await settled) {
        if (result.status === 'fulfilled') assert.equal(result.value, 137);
        else assert.ok([409, 502].includes(result.reason.status), String(result.reason));
      }
      bench.assertGone(traces);
    },
  },
  {
    name: 'a sandbox that ends by itself is reported once with the time of its end and leaves nothing behind',
    run: async (bench) => {
      const id = await bench.start();
      const traces = await bench.trace(id);
      const began = Date.now();
      await bench.run(id, ['bash', '-c', END]).catch(() => undefined);
      await until('the news', () => bench.under.ended.some((event) => event.id === id));
      const newsAt = Date.now();
      await until('the end of the rest', async () => !(await bench.provider.list()).includes(id));
      bench.assertGone(traces);
      await wait(100);
      const events = bench.under.ended.filter((news) => news.id === id);
      assert.equal(events.length, 1);
      const ended = events[0]?.endedAt.getTime() ?? 0;
      // File times lag by up to 10 ms.
      assert.ok(ended > began - 50 && ended <= newsAt, `${ended} is not between ${began} and ${newsAt}`);
      assert.equal((await refusalOf(bench.run(id, ['true']))).status, 409);
    },
  },
  {
    name: 'many sandboxes are started and killed at once',
    run: async (bench) => {
      const ids = await Promise.all(Array.from({ length: 8 }, () => bench.start()));
      const traces = await Promise.all(ids.map((id) => bench.trace(id)));
      assert.equal(new Set(traces.flatMap(({ namespaces }) => namespaces)).size, 32);
      const listed = await bench.provider.list();
      assert.deepEqual(
        ids.filter((id) => !listed.includes(id)),
        [],
      );
      await Promise.all(ids.map((id) => bench.provider.kill(id)));
      for (const each of traces) bench.assertGone(each);
    },
  },
];
