/** The vendors' Python clients in a sandbox with a closed network, and the records of their calls on the platform. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython } from '../../scripts/python-packages.ts';
import { startTestServer } from './harness.ts';
import { answers, fails, startModelProvider } from './model-provider.ts';

const python = findPython();
const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' }, [], { hasSandboxes: true });
const me = server.as(server.owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
const provider = await startModelProvider();
afterAll(() => provider.close());

const W = '/org/main/ws/main';
const REPLY = 'Hello from the provider.';
/** Prints the package folder, the metadata folders and the modules that the clients have loaded after their creation. */
const LIST_PACKAGES = `
import os, sys, sysconfig, openai, anthropic
openai.OpenAI(api_key="x").chat.completions; openai.OpenAI(api_key="x").responses; anthropic.Anthropic(api_key="x").messages
folder = sysconfig.get_path("purelib")
files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
infos = [name for name in os.listdir(folder) if name.endswith(".dist-info")]
print(folder)
print("\\n".join(infos))
print("\\n".join(sorted({file[len(folder) + 1:].split("/")[0] for file in files if file.startswith(folder + "/")})))
`;

const execute = promisify(execFile);

/** Runs as a child process: a host that is blocked for seconds loses its sandboxes. */
async function packClients(interpreter: string): Promise<Buffer> {
  const { stdout: listed } = await execute(interpreter, ['-c', LIST_PACKAGES]);
  const [folder = '', ...packages] = listed.trim().split('\n');
  const pack = ['--exclude=__pycache__', '-cz', '-C', folder, ...packages];
  const { stdout } = await execute('tar', pack, { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

async function run(key: string, command: string, env: Record<string, string> = {}) {
  const response = await me.post(`${W}/runtimes/${key}/exec`, { command, env, timeout_seconds: 240 });
  expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 });
  return response.body as { exit_code: number; stdout: string; stderr: string };
}

async function makeRuntime(key: string, sandbox: object): Promise<string> {
  const created = await me.post(`${W}/runtimes`, { key, config: { sandbox } });
  expect(created).toMatchObject({ status: 201 });
  const started = await me.post(`${W}/runtimes/${key}/start`);
  expect(started, JSON.stringify(started.body)).toMatchObject({ status: 200 });
  const { body } = await me.get('/org/main/sandboxes?limit=100&state=running');
  return body.items.find((one: { runtime_key: string }) => one.runtime_key === key).sandbox_id;
}

async function messagesOf(session: string): Promise<{ role: string; content: string }[]> {
  return (await me.get(`${W}/sessions/${session}/transcript?limit=500`)).body.messages;
}

const textsOf = async (session: string) =>
  (await messagesOf(session)).map(({ role, content }) => `${role}: ${content}`);

describe.skipIf(!available)('a program in a sandbox with a closed network', () => {
  beforeAll(async () => {
    const models = [{ name: 'large', input_price: 1_000, output_price: 1_000 }];
    const acme = { name: 'acme', kind: 'openai_compatible', base_url: provider.baseUrl, models };
    expect(await me.put('/org/main/inference/providers', { providers: [acme] })).toMatchObject({
      status: 200,
    });
  });

  test.skipIf(!python)(
    'calls models with the clients of OpenAI and Anthropic, and every message, cost and span is recorded once',
    { timeout: 300_000 },
    async () => {
      provider.always(answers());
      // The client's own retry after a provider error must not be recorded.
      provider.next(fails(500, 'Try again.'));
      const sandboxId = await makeRuntime('clients', { platform_access: 'inference' });
      const put = await me.put(
        `${W}/runtimes/clients/files?path=clients.tar.gz`,
        await packClients(python ?? ''),
      );
      expect(put.status, JSON.stringify(put.body)).toBeLessThan(300);
      const script = readFileSync(join(dirname(import.meta.filename), 'python/clients_inside.py'), 'utf8');
      await me.put(`${W}/runtimes/clients/files?path=ask.py`, Buffer.from(script));
      const trace = randomUUID().replaceAll('-', '');
      const env = { PYTHONPATH: '/workspace/packages', TRACEPARENT: `00-${trace}-00f067aa0ba902b7-01` };
      const unpack = 'mkdir packages && tar -xzf clients.tar.gz -C packages';
      const ended = await run('clients', `${unpack} && python3 ask.py`, env);
      expect(ended, ended.stderr).toMatchObject({
        exit_code: 0,
        stdout: `openai ${REPLY}\nanthropic ${REPLY}\ntokens True\n`,
      });
      expect(await textsOf(sandboxId)).toEqual([
        'user: First, with chat completions.',
        `assistant: ${REPLY}`,
        'user: Second, as a stream.',
        `assistant: ${REPLY}`,
        'user: Third, with responses.',
        `assistant: ${REPLY}`,
      ]);
      const { body: session } = await me.get(`${W}/sessions/${sandboxId}`);
      const { body: list } = await me.get(`${W}/sessions?limit=100`);
      const others = list.sessions.filter(
        (one: { id: string; group_id: string }) => one.group_id === session.group_id && one.id !== sandboxId,
      );
      expect(others).toHaveLength(1);
      expect(await textsOf(others[0].id)).toEqual([
        'user: Hello, with messages.',
        `assistant: ${REPLY}`,
        'user: And as a stream.',
        `assistant: ${REPLY}`,
      ]);
      // Five calls of 7 and 5 tokens, at a dollar per thousand tokens.
      const cost = session.usage.total_cost_usd + others[0].usage.total_cost_usd;
      expect(cost).toBeCloseTo(5 * 0.012, 9);
      const { body: spans } = await me.get(`${W}/traces/${trace}/spans`);
      expect(spans.items.filter((span: { status: string }) => span.status !== 'error')).toHaveLength(5);
    },
  );

  test('is cut off at its spend limit in the middle of a stream, and the partial response is kept', async () => {
    const sandboxId = await makeRuntime('spends', { platform_access: 'inference', spend_limit_usd: 0.05 });
    provider.next(answers({ text: 'word '.repeat(400) }));
    const ask = (stream: boolean) =>
      `curl -sS -m 60 -w '\\n%{http_code}' "$OPENAI_BASE_URL/chat/completions" -H 'content-type: application/json' -d '${JSON.stringify({ model: 'acme/large', stream, messages: [{ role: 'user', content: 'Talk.' }] })}'`;
    const { stdout } = await run('spends', ask(true));
    expect(stdout).toMatch(/spend limit of \$0\.05.*spend_limit_usd/s);
    expect(stdout).not.toContain('[DONE]');
    const [asked, cut] = await messagesOf(sandboxId);
    expect(asked).toMatchObject({ role: 'user', content: 'Talk.' });
    expect(cut).toMatchObject({
      role: 'assistant',
      metadata: { interruption: expect.stringMatching(/spend limit/) },
    });
    expect(cut?.content.length).toBeGreaterThan(100);
    const refused = await run('spends', ask(false));
    expect(refused.stdout).toMatch(/spend limit of \$0\.05.*\n429$/s);
  });
});
