/** What commands of one sandbox share, and what two sandboxes do not. */
import assert from 'node:assert/strict';
import type { SandboxCase } from './sandbox-case.ts';
import { until } from './workbench.ts';

const SERVE =
  'setsid python3 -m http.server --bind 127.0.0.1 8000 --directory /workspace >/dev/null 2>&1 </dev/null &';
const FETCH =
  'python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:8000/note\').read().decode().strip())"';

export const SHARING_CASES: readonly SandboxCase[] = [
  {
    name: 'commands of a sandbox share processes, network, /tmp and memory',
    run: async (bench) => {
      const id = await bench.start({ hostname: 'my-box' });
      const [one, two] = [await bench.trace(id), await bench.trace(id)];
      assert.deepEqual(one, two);
      assert.equal(await bench.bash(id, 'hostname; echo $(cat /etc/hostname)'), 'my-box\nmy-box\n');
      await bench.bash(id, 'echo shared >/tmp/note; echo shm >/dev/shm/note; echo served >/workspace/note');
      assert.equal(await bench.bash(id, 'cat /tmp/note /dev/shm/note'), 'shared\nshm\n');
      await bench.bash(id, SERVE);
      await until(
        'its server',
        async () => (await bench.run(id, ['bash', '-c', FETCH])).stdout === 'served\n',
      );
      await bench.bash(id, 'pkill -f http[.]server');
      await until(
        'its end',
        async () => (await bench.run(id, ['pgrep', '-f', 'http[.]server'])).exit_code === 1,
      );
    },
  },
  {
    name: 'two sandboxes share neither processes, network, memory nor files',
    run: async (bench) => {
      const [one, two] = [await bench.start(), await bench.start()];
      const [traces, others] = [await bench.trace(one), await bench.trace(two)];
      assert.deepEqual(
        traces.namespaces.filter((namespace) => others.namespaces.includes(namespace)),
        [],
      );
      await bench.bash(
        one,
        `${SERVE} touch /workspace/mine /tmp/mine /home/user/mine /dev/shm/mine; sleep 0.5`,
      );
      const names =
        'ls /workspace /tmp /home/user /dev/shm | grep mine; pgrep -f http[.]server; exec 3<>/dev/tcp/127.0.0.1/8000';
      const { stdout, exit_code } = await bench.run(two, ['bash', '-c', names]);
      assert.deepEqual({ stdout, failed: exit_code !== 0 }, { stdout: '', failed: true });
    },
  },
  {
    name: 'a sandbox without an allow-list has only the loopback network',
    run: async (bench) => {
      const id = await bench.start();
      assert.equal(await bench.bash(id, "tail -n +3 /proc/net/dev | tr -d ' ' | cut -d: -f1"), 'lo\n');
      assert.equal(await bench.bash(id, 'tail -n +2 /proc/net/route'), '');
      assert.equal(
        await bench.bash(id, 'env | grep -i proxy || echo none; ls /run/egress 2>/dev/null || echo none'),
        'none\nnone\n',
      );
      for (const address of ['1.1.1.1/443', '10.0.0.1/80', '169.254.169.254/80']) {
        const { exit_code, stderr } = await bench.run(id, ['bash', '-c', `exec 3<>/dev/tcp/${address}`]);
        assert.equal(exit_code, 1);
        assert.match(stderr, /unreachable/);
      }
    },
  },
];
