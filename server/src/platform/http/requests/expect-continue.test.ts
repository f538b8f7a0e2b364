import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../../test/harness.ts';
import { openRaw } from '../../../../test/raw-http.ts';
import { uploadRoutes } from '../../../../test/upload-routes.ts';

const server = await startTestServer({}, [uploadRoutes(() => undefined)]);
await server.app.listen({ port: 0 });
const { port } = server.app.server.address() as AddressInfo;

/** @returns everything that arrives within a moment after the headers, and the connection */
async function ask(path: string, credential: string, type: string, length: number) {
  const connection = await openRaw(port);
  onTestFinished(() => void connection.socket.destroy());
  let received = '';
  connection.socket.on('data', (bytes: Buffer) => {
    received += bytes.toString();
  });
  connection.write(
    `PUT /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credential}\r\nExpect: 100-continue\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  await sleep(300);
  return { connection, first: received.slice(0, 12), received: () => received };
}

test.each([
  ['an upload', '/org/main/bytes', 'application/gzip', 'abc'],
  ['JSON', '/user/secrets/00000000-0000-4000-8000-000000000000', 'application/json', '{"value": "x"}'],
])('an admitted client with %s receives 100 Continue', async (_name, path, type, body) => {
  const { connection, first, received } = await ask(path, server.owner.key, type, body.length);
  expect(first).toBe('HTTP/1.1 100');
  connection.write(body);
  await sleep(300);
  expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', expect.stringMatching(/200|404/)]);
});

test.each([
  ['a stranger', '/org/main/bytes', 'dd_none', 'application/gzip', 3, '401'],
  ['a body that is too large', '/org/main/bytes', server.owner.key, 'application/gzip', 2 ** 40, '400'],
  ['a body of another type', '/org/main/bytes', server.owner.key, 'text/csv', 3, '400'],
  ['an unknown path', '/org/main/none', server.owner.key, 'application/gzip', 3, '404'],
])('%s is refused before its body is sent', async (_name, path, credential, type, length, status) => {
  const { first } = await ask(path, credential, type, length);
  expect(first).toBe(`HTTP/1.1 ${status}`);
});

test('another expectation is refused in the error form of its path', async () => {
  for (const [path, error] of [
    ['/org/main/inference/v1/models', { message: expect.stringContaining('100-continue') }],
    ['/user', undefined],
  ] as const) {
    const { body } = await sendRaw(`GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n`);
    expect(JSON.parse(body)).toMatchObject({ code: 400, type: 'invalid_error', ...(error && { error }) });
  }
});

async function sendRaw(head: string): Promise<{ body: string }> {
  const connection = await openRaw(port);
  let received = '';
  connection.socket.on('data', (bytes: Buffer) => {
    received += bytes.toString();
  });
  connection.write(head);
  await sleep(300);
  return { body: received.slice(received.indexOf('\r\n\r\n') + 4) };
}
