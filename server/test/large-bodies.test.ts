/** Large bodies are held in memory, so the number accepted at once is limited. */
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { transcriptRoutes } from '../src/sessions/transcript/routes.ts';
import { startEventServer } from './event-harness.ts';
import { startTestServer } from './harness.ts';
import { until } from './processes.ts';
import { SESSIONS, saveSession, user } from './transcripts.ts';

const LARGEST = 16 * 1024 * 1024;
const server = await startTestServer();
const { owner } = server;
const member = await server.addPerson('member', { role: 'member' });
const listening = await startEventServer(server, { moreRoutes: [transcriptRoutes(server.db)] });
const session = await saveSession(server.as(owner));
const path = `/api/v1${SESSIONS}/${session.id}/transcript`;

/** A request whose body never arrives, and the response it receives nevertheless. */
function begin(key: string, framing: string): { socket: Socket; response: () => string } {
  const { hostname, port } = new URL(listening.url);
  const socket = connect(Number(port), hostname);
  let response = '';
  socket.on('data', (chunk) => (response += chunk.toString())).on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\n${framing}\r\n\r\n`,
  );
  onTestFinished(() => void socket.destroy());
  return { socket, response: () => response };
}

const append = async (content: string) => {
  const response = await fetch(listening.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [user(content)] }),
  });
  return [response.status, response.headers.get('retry-after')];
};

test('large bodies are accepted up to a few at once per user and in total; small ones always', async () => {
  const large = 'x'.repeat(2 * 1024 * 1024);
  expect(await append(large)).toEqual([201, null]);
  const begun = [
    begin(owner.key, `Content-Length: ${LARGEST}`),
    begin(owner.key, `Content-Length: ${LARGEST}`),
    begin(owner.key, 'Transfer-Encoding: chunked'),
    begin(owner.key, `Content-Length: ${LARGEST}`),
  ];
  await until('no more is taken', async () => (await append(large))[0] === 429);
  expect(await append(large)).toEqual([429, '2']);
  expect(await append('small')).toEqual([201, null]);
  const other = begin(member.key, `Content-Length: ${LARGEST}`);
  const refused = begin(owner.key, 'Transfer-Encoding: chunked');
  await until('it is refused', () => refused.response().includes('"usage_limit_exceeded_error"'));
  expect(other.response()).toBe('');
  begun[0]?.socket.destroy();
  await until('there is room again', async () => (await append(large))[0] === 201);
  // A completed request has released its memory budget.
  for (let count = 0; count < 10; count++) expect(await append(large)).toEqual([201, null]);
});

test('sequential large bodies are accepted without limit', async () => {
  const { append: send } = await saveSession(server.as(owner));
  for (let count = 0; count < 5; count++)
    expect((await send([user('y'.repeat(15 * 1024 * 1024))])).status).toBe(201);
});
