/** Connections to ports that listen inside. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { leaveBehind } from './adoption.ts';
import { listProcesses } from './leftovers.ts';
import type { SandboxCase } from './sandbox-case.ts';
import { refusalOf, until, type Workbench } from './workbench.ts';

/** Greets each connection, echoes what it receives, says goodbye, and writes the number of connections to a file. */
const ECHO = `import socketserver, threading, os
count, lock = 0, threading.Lock()
def tell(change):
    global count
    with lock:
        count += change
        with open('/workspace/draft', 'w') as file: file.write(str(count))
        os.rename('/workspace/draft', '/workspace/count')
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        tell(1)
        try:
            self.request.sendall(b'hello ')
            while data := self.request.recv(65536): self.request.sendall(data)
            self.request.sendall(b' bye')
        except OSError: pass
        tell(-1)
class Server(socketserver.ThreadingTCPServer):
    address_family, allow_reuse_address, request_queue_size = FAMILY, True, 300
Server(('ADDRESS', PORT), Echo).serve_forever()
`;

const PORT = 8000;

interface Listener {
  readonly address?: string;
  readonly port?: number;
}

const toScript = ({ address = '127.0.0.1', port = PORT }: Listener = {}) =>
  ECHO.replace('ADDRESS', address)
    .replace('PORT', String(port))
    .replace('FAMILY', address.includes(':') ? '10' : '2');

const toCommand = (listener?: Listener) =>
  `python3 -c "$(cat <<'END'\n${toScript(listener)}END\n)" >/dev/null 2>&1 </dev/null &
until (exec 3<>/dev/tcp/${listener?.address ?? '127.0.0.1'}/${listener?.port ?? PORT}) 2>/dev/null; do sleep 0.02; done`;

const listen = (bench: Workbench, id: string, listener?: Listener) =>
  bench.bash(id, `setsid ${toCommand(listener)}`);

async function readAll(connection: Duplex): Promise<Buffer> {
  return Buffer.concat(await connection.toArray());
}

const echo = async (connection: Duplex, bytes: Buffer) => {
  connection.end(bytes);
  return await readAll(connection);
};

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const around = (text: string) => `hello ${text} bye`;

/** Reads the number that the sandbox sees. */
const untilConnected = (bench: Workbench, id: string, count: number) =>
  until(`${count} connections`, async () => (await bench.bash(id, 'cat /workspace/count')) === String(count));

const networkOf = async (bench: Workbench, id: string) =>
  (await bench.bash(id, 'readlink /proc/self/ns/net')).trim();

export const CONNECTION_CASES: readonly SandboxCase[] = [
  {
    name: 'a connection reaches a listener inside and loses no bytes in either direction',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      const connection = await bench.provider.connect(id, PORT);
      assert.equal((await echo(connection, Buffer.from('you'))).toString(), around('you'));
      const bytes = randomBytes(5_000_000);
      const back = await echo(await bench.provider.connect(id, PORT), bytes);
      assert.equal(digest(back.subarray(6, -4)), digest(bytes));
    },
  },
  {
    name: 'a listener at either loopback address, or at all addresses, is reachable',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id, { address: '::1', port: 8001 });
      await listen(bench, id, { address: '0.0.0.0', port: 8002 });
      for (const port of [8001, 8002]) {
        const back = await echo(await bench.provider.connect(id, port), Buffer.from('you'));
        assert.equal(back.toString(), around('you'));
      }
    },
  },
  {
    name: 'a port without a listener is refused, even if there is one outside or in another sandbox',
    run: async (bench) => {
      const [id, other] = await Promise.all([bench.start(), bench.start()]);
      await listen(bench, other, { port: 8003 });
      const outside = createServer().listen(0, '127.0.0.1');
      bench.after(async () => outside.close());
      await once(outside, 'listening');
      const { port } = outside.address() as { port: number };
      for (const each of [8003, port, 1]) {
        const { status, message } = await refusalOf(bench.provider.connect(id, each));
        assert.equal(status, 502);
        assert.match(message, new RegExp(`Nothing listens at port ${each} in the sandbox`));
      }
    },
  },
  {
    name: 'a hundred concurrent connections do not mix',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      const texts = Array.from({ length: 100 }, (_, index) => `number ${index}`);
      const backs = await Promise.all(
        texts.map(async (text) => await echo(await bench.provider.connect(id, PORT), Buffer.from(text))),
      );
      assert.deepEqual(backs.map(String), texts.map(around));
    },
  },
  {
    name: 'at most 256 connections are open at once, and closed ones do not count',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      const open = await Promise.all(Array.from({ length: 256 }, () => bench.provider.connect(id, PORT)));
      assert.equal((await refusalOf(bench.provider.connect(id, PORT))).status, 429);
      await untilConnected(bench, id, 256);
      for (const connection of open) connection.destroy();
      await untilConnected(bench, id, 0);
      await echo(await bench.provider.connect(id, PORT), Buffer.from(''));
    },
  },
  {
    name: 'the helper that makes connections is invisible inside and does not count as a process',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      await untilConnected(bench, id, 0); // the probe of the listening port has disconnected
      const look = 'ls /proc | grep -c "^[0-9]*$"';
      const before = await bench.bash(id, look);
      const { processes } = await bench.provider.stats(id);
      const connection = await bench.provider.connect(id, PORT);
      // Polls, because a process that a command started may end a little later than the command.
      await until('nobody more is seen', async () => (await bench.bash(id, look)) === before);
      const isUncounted = async () => (await bench.provider.stats(id)).processes <= processes + 1;
      await until('only the thread of the listener is counted', isUncounted);
      connection.destroy();
    },
  },
  {
    name: 'a pause closes connections, and none is opened until the sandbox resumes',
    needs: 'pause',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      const connection = await bench.provider.connect(id, PORT);
      const closed = once(connection, 'close');
      await bench.provider.pause(id);
      await closed;
      assert.equal((await refusalOf(bench.provider.connect(id, PORT))).status, 409);
      await bench.provider.resume(id);
      const back = await echo(await bench.provider.connect(id, PORT), Buffer.from('again'));
      assert.equal(back.toString(), around('again'));
      await untilConnected(bench, id, 0);
    },
  },
  {
    name: 'connections end with the sandbox and leave nothing behind',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      const connection = await bench.provider.connect(id, PORT);
      const closed = once(connection, 'close');
      const traces = await bench.trace(id);
      await bench.provider.kill(id);
      await closed;
      bench.assertGone(traces);
      assert.equal((await refusalOf(bench.provider.connect(id, PORT))).status, 409);
    },
  },
  {
    name: 'a connection that is being opened when the sandbox ends is refused and leaves nothing behind',
    run: async (bench) => {
      const id = await bench.start();
      await listen(bench, id);
      const traces = await bench.trace(id);
      const asked = Promise.allSettled(Array.from({ length: 20 }, () => bench.provider.connect(id, PORT)));
      await bench.provider.kill(id);
      const closed = (await asked).map((result) => result.status === 'rejected' || result.value.destroyed);
      assert.deepEqual(new Set(closed), new Set([true]));
      bench.assertGone(traces);
    },
  },
  {
    name: 'connections end with the process that made them, and the next process can open others',
    run: async (bench) => {
      const next = await bench.openElsewhere();
      const spec = next.toSpec();
      await leaveBehind(next, [{ spec, scripts: [`setsid ${toCommand()}`], port: PORT }]);
      await next.provider.adopt(spec.id);
      await untilConnected(next, spec.id, 0);
      const network = await networkOf(next, spec.id);
      await until('the end of what made it', () =>
        listProcesses('', [network]).every((line) => !line.includes('serveConnections')),
      );
      const back = await echo(await next.provider.connect(spec.id, PORT), Buffer.from('you'));
      assert.equal(back.toString(), around('you'));
    },
  },
];
