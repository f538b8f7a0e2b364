/** Attempts of a sandbox to abuse its proxy, and failures of the socket. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ask, askTunnel, openHost, openProxy, sendRaw } from '../../../../test/egress-proxies.ts';
import { atEndOfFile } from '../../../../test/end-of-file.ts';
import { WAIT_TIMEOUT_MS } from '../../../../test/wait-timeout.ts';
import { runProgram } from '../../process/run-program.ts';

const port = await openHost((_, response) => response.end('ok'));
const allow = [`ok.test:${port}`];

test('the proxy refuses garbage with 400 or without a response, and serves the next request', async () => {
  const { socketPath, entries } = await openProxy(allow);
  const pieces = [
    '',
    '\0'.repeat(1_000),
    randomBytes(100_000),
    '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003',
    'GET',
    'GET / HTTP/9.9\r\n\r\n',
    'CONNECT  HTTP/1.1\r\n\r\n',
    'CONNECT :0 HTTP/1.1\r\nHost: x\r\n\r\n',
    `CONNECT ${'a'.repeat(5_000)}:443 HTTP/1.1\r\n\r\n`,
    'GET http://[::1/ HTTP/1.1\r\n\r\n',
    'GET http://ok.test/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `POST http://ok.test:${port}/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://no.test/ HTTP/1.1\r\n\r\n`,
    `POST http://ok.test:${port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ];
  for (const piece of pieces) {
    const response = await sendRaw(socketPath, piece);
    expect(response).not.toMatch(/^HTTP\/1\.1 2/);
  }
  expect(entries.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  expect((await ask(socketPath, `http://ok.test:${port}/`)).body).toBe('ok');
});

test('the proxy responds with 431 to endless headers', async () => {
  const { socketPath } = await openProxy(allow);
  const response = await sendRaw(socketPath, `GET http://ok.test/ HTTP/1.1\r\nX: ${'a'.repeat(20_000)}`);
  expect(response).toMatch(/^HTTP\/1\.1 431 /);
});

test('the proxy closes connections over its limit, and accepts new ones when others end', async () => {
  const { socketPath } = await openProxy(allow);
  const sockets = Array.from({ length: 100 }, () => connect(socketPath));
  let closed = 0;
  for (const socket of sockets) socket.on('error', () => undefined).on('close', () => closed++);
  await expect.poll(() => closed).toBe(36);
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(async () => (await ask(socketPath, `http://ok.test:${port}/`).catch(() => undefined))?.body)
    .toBe('ok');
});

test('the proxy delays a client that exceeds the request rate', async () => {
  const { socketPath, entries } = await openProxy([]);
  const started = performance.now();
  const askMany = async () => {
    for (let n = 0; n < 10; n++) await askTunnel(socketPath, 'no.test:443');
  };
  await Promise.all(Array.from({ length: 25 }, askMany));
  expect(entries.length).toBe(250);
  expect(performance.now() - started).toBeGreaterThan(400);
});

test('the proxy limits the decisions for a client that disconnects and reconnects', async () => {
  let lookups = 0;
  const { socketPath } = await openProxy(['slow.test'], {
    resolve: () => {
      lookups++;
      return new Promise(() => undefined);
    },
  });
  for (let n = 0; n < 180; n++) {
    const before = lookups;
    const socket = connect(socketPath, () => socket.write('GET http://slow.test/ HTTP/1.1\r\n\r\n'));
    socket.on('error', () => undefined).resume();
    await expect.poll(() => lookups > before || socket.destroyed, { interval: 1 }).toBe(true);
    socket.destroy();
  }
  expect(lookups).toBe(128);
});

test('the proxy handles one request at a time per connection', async () => {
  let lookups = 0;
  const { socketPath } = await openProxy(['slow.test'], {
    resolve: () => {
      lookups++;
      return new Promise(() => undefined);
    },
  });
  const result = await sendRaw(socketPath, 'GET http://slow.test/ HTTP/1.1\r\n\r\n'.repeat(100));
  expect(result).toBe('');
  expect(lookups).toBe(1);
  const twice = await openProxy(allow);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let n = 0; n < 3; n++) {
    const sent = request({ agent, socketPath: twice.socketPath, path: `http://ok.test:${port}/` }).end();
    const [response] = await once(sent, 'response');
    expect(await text(response)).toBe('ok');
  }
  agent.destroy();
});

test('close ends connections and removes the socket', async () => {
  const { socketPath, proxy } = await openProxy(allow);
  const { socket } = await askTunnel(socketPath, `ok.test:${port}`);
  socket.resume();
  await Promise.all([once(socket, 'close'), proxy.close()]);
  await expect(lstat(socketPath)).rejects.toThrow('ENOENT');
});

const makeFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-egress-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

test('the proxy listens at a path longer than a socket address, and leaves no other file there', async () => {
  const folder = join(await makeFolder(), 'a'.repeat(100), 'b'.repeat(100));
  await mkdir(folder, { recursive: true });
  const { proxy } = await openProxy(allow, { socketPath: join(folder, 'proxy.sock') });
  expect(await readdir(folder)).toEqual(['proxy.sock']);
  await proxy.close();
  expect(await readdir(folder)).toEqual([]);
});

test('the proxy replaces the socket of a dead process, but not one that was created later', async () => {
  const socketPath = join(await makeFolder(), 'proxy.sock');
  await writeFile(socketPath, '');
  const first = await openProxy(allow, { socketPath });
  const second = await openProxy(allow, { socketPath });
  await first.proxy.close();
  expect((await ask(socketPath, `http://ok.test:${port}/`)).body).toBe('ok');
  expect(second.entries).toHaveLength(1);
});

test('a missing folder is an error, not a crash', async () => {
  await expect(openProxy(allow, { socketPath: '/nowhere/proxy.sock' })).rejects.toThrow('ENOENT');
});

const isRoot = process.getuid?.() === 0;

test('only the owner can connect to the socket', async () => {
  const uid = isRoot ? 2_000_000_123 : (process.getuid?.() ?? 0);
  const folder = await makeFolder();
  if (isRoot) await chown(folder, uid, uid);
  const { socketPath } = await openProxy(allow, { socketPath: join(folder, 'proxy.sock'), uid });
  const { mode, uid: owner } = await lstat(socketPath);
  expect({ mode: mode & 0o777, owner }).toEqual({ mode: 0o600, owner: uid });
  if (!isRoot) return;
  await runProgram({ command: '/bin/chmod', args: ['0755', folder], cwd: '/', timeoutMs: WAIT_TIMEOUT_MS });
  const connectAs = (user: number) =>
    runProgram({
      command: '/usr/bin/setpriv',
      args: [
        `--reuid=${user}`,
        `--regid=${user}`,
        '--clear-groups',
        '/usr/bin/socat',
        '-u',
        '/dev/null',
        `UNIX-CONNECT:${socketPath}`,
      ],
      cwd: '/',
      timeoutMs: WAIT_TIMEOUT_MS,
    });
  expect((await connectAs(uid)).exitCode).toBe(0);
  const other = await connectAs(uid + 1);
  expect(other.exitCode).not.toBe(0);
  expect(other.stderr).toContain('Permission denied');
});

test('a failed start leaves the existing files unchanged', async () => {
  const socketPath = join(await makeFolder(), 'taken');
  await mkdir(join(socketPath, 'inside'), { recursive: true });
  await expect(openProxy(allow, { socketPath })).rejects.toThrow();
  expect(await readdir(join(socketPath, '..'))).toEqual(['taken']);
});
