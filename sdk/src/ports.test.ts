/** Requests that are forwarded to a port of a runtime. */
import { expect, test } from 'vitest';
import { json, refusal, type Step, startScriptedServer } from '../test/scripted-server.ts';
import { Drydock } from './drydock.ts';

const where = { org: 'main', workspace: 'main', runtime: 'first', port: 8000 };

async function connect(...steps: Step[]) {
  const server = await startScriptedServer(...steps);
  return { server, drydock: new Drydock({ baseUrl: server.url, apiKey: 'dd_key', maxRetries: 3 }) };
}

const inside =
  (status: number, body: unknown): Step =>
  (response, seen) => {
    response.setHeader('x-drydock-port', '8000');
    return json(status, body)(response, seen);
  };

test('reachPort sends requests unchanged, with the credential', async () => {
  const { server, drydock } = await connect(inside(200, { ok: true }));
  const response = await drydock.runtimes.reachPort(
    { ...where, path: '/a%2Fb/../c?d=e' },
    {
      method: 'POST',
      headers: { 'content-type': 'text/plain', authorization: 'Bearer mine' },
      body: 'hello',
    },
  );
  expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  expect(server.seen[0]).toMatchObject({
    method: 'POST',
    body: 'hello',
    headers: { authorization: 'Bearer dd_key', 'content-type': 'text/plain' },
  });
});

test('reachPort returns any response of the program inside', async () => {
  const { server, drydock } = await connect(inside(503, { own: true }));
  const response = await drydock.runtimes.reachPort(where);
  expect([response.status, await response.json()]).toEqual([503, { own: true }]);
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]?.url).toBe('/api/v1/org/main/ws/main/runtimes/first/ports/8000/');
});

test('reachPort throws errors of the platform, without retries', async () => {
  const { server, drydock } = await connect(refusal(502, 'bad_gateway_error', 'Nothing listens.'));
  await expect(drydock.runtimes.reachPort(where)).rejects.toMatchObject({ type: 'bad_gateway_error' });
  expect(server.seen).toHaveLength(1);
});
