import { type AddressInfo, connect as connectSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../../test/harness.ts';

const server = await startTestServer();
await server.app.listen({ port: 0 });
const { port } = server.app.server.address() as AddressInfo;
const owner = server.as(server.owner);

/** @returns the response to a request whose body follows after the callback */
async function postSlowly(
  who: Person,
  path: string,
  value: object,
  meanwhile: () => Promise<void>,
): Promise<string> {
  const body = JSON.stringify(value);
  const socket = connectSocket(port, '127.0.0.1');
  const head = [
    `POST /api/v1${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${who.key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await sleep(100);
  await meanwhile();
  socket.write(body);
  return text(socket);
}

test('a member removed while their body was arriving changes nothing', async () => {
  const admin = await server.addPerson('leaving', { role: 'admin' });
  await server.addPerson('friend');
  const friend = { user: 'friend', role: 'admin' };
  const response = await postSlowly(admin, '/org/main/members', friend, async () => {
    expect((await owner.delete(`/org/main/members/${admin.id}`)).status).toBe(204);
  });
  expect(response).toMatch(/^HTTP\/1\.1 403 /);
  const members = (await owner.get('/org/main/members')).body;
  expect(members.map(({ user }: { user: { username: string } }) => user.username)).toEqual(['owner']);
});

test('a member demoted to reader while their body was arriving writes nothing', async () => {
  const person = await server.addPerson('demoted', { role: 'member', workspaceRole: 'contributor' });
  const projects = '/org/main/ws/main/projects';
  const allowed = await postSlowly(person, projects, { name: 'before' }, async () => undefined);
  expect(allowed).toMatch(/^HTTP\/1\.1 201 /);
  const refused = await postSlowly(person, projects, { name: 'after' }, async () => {
    const reader = { role: 'reader' };
    expect((await owner.put(`/org/main/ws/main/members/${person.id}`, reader)).status).toBe(200);
  });
  expect(refused).toMatch(/^HTTP\/1\.1 403 /);
  const names = (await owner.get(projects)).body.map(({ name }: { name: string }) => name);
  expect(names).toContain('before');
  expect(names).not.toContain('after');
});
