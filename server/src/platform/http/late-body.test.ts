import { type AddressInfo, connect as connectSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
await server.app.listen({ port: 0 });
const { port } = server.app.server.address() as AddressInfo;

test('who was removed while their body was on its way changes nothing any more', async () => {
  const admin = await server.addPerson('leaving', { role: 'admin' });
  await server.addPerson('friend');
  const body = JSON.stringify({ user: 'friend', role: 'admin' });
  const socket = connectSocket(port, '127.0.0.1');
  const head = [
    'POST /api/v1/org/main/members HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${admin.key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await sleep(100);
  expect((await server.as(server.owner).delete(`/org/main/members/${admin.id}`)).status).toBe(204);
  socket.write(body);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
  const members = (await server.as(server.owner).get('/org/main/members')).body;
  expect(members.map(({ user }: { user: { username: string } }) => user.username)).toEqual(['owner']);
});
