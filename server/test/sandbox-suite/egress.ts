/** Egress: through the proxy to hosts of the allow-list, and to no others. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { leaveBehind } from './adoption.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { until, type Workbench } from './workbench.ts';

/**
 * Opens a host on this machine.
 * @returns its port
 */
async function openHost(bench: Workbench): Promise<number> {
  const server = createServer((request, response) => response.end(`${request.headers.host} answered`));
  server.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  bench.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** $1: url. Uses HTTP_PROXY as programs do. */
const FETCH = `import sys, urllib.request, urllib.error
try: print(urllib.request.urlopen(sys.argv[1], timeout=120).read().decode())
except urllib.error.HTTPError as error: print(error.code, error.read().decode())
`;
/** $1: host, $2: port. Opens a tunnel as programs do. */
const TUNNEL = `import sys, http.client
connection = http.client.HTTPConnection('127.0.0.1', 3128, timeout=120)
connection.set_tunnel(sys.argv[1], int(sys.argv[2]))
try:
    connection.request('GET', '/')
    print(connection.getresponse().read().decode())
except OSError as error: print(error)
`;

const fetchFrom = async (bench: Workbench, id: string, url: string) =>
  (await bench.run(id, ['python3', '-c', FETCH, url])).stdout;
const tunnelTo = async (bench: Workbench, id: string, host: string, port: number) =>
  (await bench.run(id, ['python3', '-c', TUNNEL, host, String(port)])).stdout;

export const EGRESS_CASES: readonly SandboxCase[] = [
  {
    name: 'an allowed host is reached from the first command on, by request and by tunnel',
    run: async (bench) => {
      const port = await openHost(bench);
      const id = await bench.start({ egressAllow: [`ok.test:${port}`, `*.wild.test:${port}`] });
      await bench.bash(id, 'exec 3<>/dev/tcp/127.0.0.1/3128');
      assert.equal(await fetchFrom(bench, id, `http://ok.test:${port}/`), `ok.test:${port} answered\n`);
      assert.equal(await tunnelTo(bench, id, 'a.wild.test', port), `a.wild.test:${port} answered\n`);
      const raw = `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://ok.test:${port}/ HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
      assert.match(await bench.bash(id, raw), /^HTTP\/1\.1 200 OK\r\n[^]*answered$/);
      const reported = bench.under.egress
        .filter((each) => each.id === id)
        .map(({ entry }) => [entry.host, entry.port, entry.isAllowed]);
      assert.deepEqual(reported, [
        ['ok.test', port, true],
        ['a.wild.test', port, true],
        ['ok.test', port, true],
      ]);
    },
  },
  {
    name: 'no other host, port or address is reachable, with or without the proxy',
    run: async (bench) => {
      const port = await openHost(bench);
      const id = await bench.start({ egressAllow: [`ok.test:${port}`] });
      for (const [host, to] of [
        ['no.test', port],
        ['ok.test', port + 1],
        ['127.0.0.1', port],
        ['localhost', port],
        ['[::1]', port],
      ] as const) {
        const text = await tunnelTo(bench, id, host.replace(/[[\]]/g, ''), to);
        assert.match(text, /40[03] /, `${host}: ${text}`);
        assert.match(
          await fetchFrom(bench, id, `http://${host}:${to}/`),
          /^403 .*allow-list|refused|^$/,
          host,
        );
      }
      const past = await bench.run(id, ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]);
      assert.match(past.stderr, /refused/);
      assert.match(
        (await bench.run(id, ['bash', '-c', 'exec 3<>/dev/tcp/1.1.1.1/443'])).stderr,
        /unreachable/,
      );
      assert.equal(await bench.bash(id, "tail -n +3 /proc/net/dev | tr -d ' ' | cut -d: -f1"), 'lo\n');
      const reported = bench.under.egress.filter((each) => each.id === id);
      assert.ok(reported.length >= 5 && reported.every(({ entry }) => !entry.isAllowed && entry.reason));
    },
  },
  {
    name: "the proxy's socket cannot be replaced, and that of another sandbox cannot be reached",
    run: async (bench) => {
      const id = await bench.start({ egressAllow: ['ok.test'] });
      const tamper = 'rm -f /run/egress/proxy.sock; mv /run/egress /run/other; touch /run/egress/x; true';
      await bench.run(id, ['bash', '-c', tamper]);
      assert.equal(
        await bench.bash(id, 'test -S /run/egress/proxy.sock && test ! -e /run/egress/x && echo there'),
        'there\n',
      );
    },
  },
  {
    name: 'a relay that is ended from inside is restarted',
    run: async (bench) => {
      const port = await openHost(bench);
      const id = await bench.start({ egressAllow: [`ok.test:${port}`] });
      await bench.bash(id, 'pkill -x socat');
      await bench.bash(id, 'until pgrep -x socat; do sleep 0.1; done');
      await until('it listens', async () => {
        const response = await fetchFrom(bench, id, `http://ok.test:${port}/`);
        return response === `ok.test:${port} answered\n`;
      });
    },
  },
  {
    name: 'egress works again after another process has taken over the sandbox',
    run: async (bench) => {
      const port = await openHost(bench);
      const next = await bench.openElsewhere();
      const spec = next.toSpec({ egressAllow: [`ok.test:${port}`] });
      await leaveBehind(next, [{ spec }]);
      assert.deepEqual(await next.provider.adopt(spec.id), { state: 'running' });
      assert.equal(await fetchFrom(next, spec.id, `http://ok.test:${port}/`), `ok.test:${port} answered\n`);
      assert.match(await tunnelTo(next, spec.id, 'no.test', port), /403/);
      assert.deepEqual(
        next.under.egress.map(({ entry }) => entry.isAllowed),
        [true, false],
      );
    },
  },
];
