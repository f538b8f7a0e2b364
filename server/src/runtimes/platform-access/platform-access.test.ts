/** The platform as programs in a sandbox with a closed network reach it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const PLATFORM = 'http://127.0.0.1:3128';

const server = await startTestServer({}, [], { hasSandboxes: true });
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;

async function makeRuntime(key: string, sandbox: object): Promise<void> {
  expect(await me.post(RUNTIMES, { key, config: { sandbox } })).toMatchObject({ status: 201 });
  expect(await me.post(`${RUNTIMES}/${key}/start`)).toMatchObject({ status: 200 });
}

async function run(
  key: string,
  command: string,
): Promise<{ exit_code: number; stdout: string; stderr: string }> {
  const answer = await me.post(`${RUNTIMES}/${key}/exec`, { command, timeout_seconds: 120 });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
  return answer.body;
}

/** Sends a request from inside; the status stands on the last line. */
async function send(key: string, path: string, options = '') {
  const { stdout } = await run(
    key,
    `curl -sS --path-as-is -m 60 -w '\\n%{http_code}' ${options} '${PLATFORM}${path}'`,
  );
  const lines = stdout.split('\n');
  return { status: Number(lines.pop()), body: lines.join('\n') };
}

const json = (body: object) => `-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
const CHAT = { model: 'sim/echo', messages: [{ role: 'user', content: 'Hello from inside' }] };

describe.skipIf(!available)('platform_access', () => {
  beforeAll(async () => {
    await makeRuntime('asks', { platform_access: 'inference' });
    await makeRuntime('works', { platform_access: 'full' });
    await makeRuntime('closed', { egress_allow: ['example.com'] });
  });

  test('inference lets a program call a model without a key', async () => {
    const answered = await send('asks', '/v1/chat/completions', json(CHAT));
    expect(answered).toMatchObject({ status: 200, body: expect.stringContaining('Hello from inside') });
  });
});
