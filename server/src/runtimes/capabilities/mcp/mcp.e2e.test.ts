/** MCP servers of capabilities in real sandboxes: their tools, and protection against misbehaving servers. */
import { beforeAll, describe, expect, test } from 'vitest';
import { MCP_SERVER, publishCapability } from '../../../../test/capabilities.ts';
import { startTestServer, type TestResponse } from '../../../../test/harness.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const main = server.as(server.owner);
const mia = await server.addPerson('mia', { role: 'member' });
const RUNTIME = '/org/main/ws/main/runtimes/box';
const [{ available }] = (await main.get('/org/main/sandbox-providers')).body;

const MANIFEST = `
flags: {fast-mode: {default: true}}
mcp:
  servers:
    plain: {command: ./server.sh, args: ["\${CAPABILITY_ROOT}/x"], env: {SETTING: "in \${CAPABILITY_ROOT}", CAPABILITY_NAME: lie}}
    elsewhere: {command: bash, args: ["\${CAPABILITY_ROOT}/server.sh"], cwd: /workspace}
    lost: {command: ./server.sh, cwd: nowhere}
    missing: {command: no-such-program}
    mute: {command: sh, args: [-c, "echo cannot read the configuration >&2; exit 5"]}
    chatty: {command: echo, args: [hello]}
    remote: {url: "https://mcp.example.com/"}
    odd: {comand: x}
    wrong: {command: x, args: 5}
`;

let bindings = '';
const toolsOf = (name: string) => `${bindings}/mcp-servers/${name}/tools`;
const call = (tool: string, given?: object, name = 'plain') =>
  main.post(`${toolsOf(name)}/${tool}`, given && { arguments: given });
const run = async (command: string) =>
  (await main.post(`${RUNTIME}/exec`, { command })).body.stdout as string;
const countServers = () => run('pgrep -cf "[s]erver.sh" || :');
const textOf = ({ body }: TestResponse) => body.content?.[0]?.text as string;

describe.skipIf(!available)('MCP servers', () => {
  beforeAll(async () => {
    const files = { 'server.sh': MCP_SERVER };
    await publishCapability(main, { name: 'kit', manifest: MANIFEST, files });
    await publishCapability(main, { name: 'kit', version: '2.0.0', manifest: MANIFEST, files });
    await main.post('/org/main/ws/main/runtimes', { key: 'box' });
    await main.post(`${RUNTIME}/start`);
    const { body } = await main.post(`${RUNTIME}/capabilities`, { name: 'kit', version: '1.0.0' });
    bindings = `${RUNTIME}/capabilities/${body.id}`;
  });

  test('MCP servers are listed as in the manifest to everyone who can read the runtime', async () => {
    const { status, body } = await server.as(mia).get(`${bindings}/mcp-servers`);
    expect(status).toBe(200);
    const nothing = { command: null, url: null, problem: null };
    expect(body).toHaveLength(9);
    expect(body).toEqual(
      expect.arrayContaining([
        { ...nothing, name: 'plain', transport: 'stdio', command: ['./server.sh', '${CAPABILITY_ROOT}/x'] },
        { ...nothing, name: 'remote', transport: 'http', url: 'https://mcp.example.com/' },
        { ...nothing, name: 'odd', transport: 'unknown', problem: expect.stringContaining('command') },
        { ...nothing, name: 'wrong', transport: 'unknown', problem: expect.stringContaining('args') },
      ]),
    );
  });

  test('tools are listed and called through one server process, which is kept', async () => {
    const tools = await main.get(toolsOf('plain'));
    expect(tools).toMatchObject({ status: 200 });
    expect(tools.body[0]).toEqual({
      name: 'echo',
      title: null,
      description: 'says it again',
      input_schema: { type: 'object' },
      output_schema: null,
    });
    expect(await call('echo', { text: 'grüße' })).toMatchObject({
      status: 200,
      body: {
        content: [{ type: 'text', text: 'grüße' }],
        structured_content: { said: 'grüße' },
        is_error: false,
      },
    });
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call('echo', { text: `t${index}` })),
    );
    expect(many.map(textOf)).toEqual(many.map((_, index) => `t${index}`));
    expect(await countServers()).toBe('1\n');
  });

  test('servers get their folder and flags in the environment', async () => {
    const root = '/capabilities/kit';
    expect(textOf(await call('where'))).toMatch(
      new RegExp(`^${root} kit@1.0.0 ${root} true in ${root} ${root}/x \\d+$`),
    );
    expect(textOf(await call('where', {}, 'elsewhere'))).toMatch(/^\/workspace kit@1.0.0 /);
  });

  test('callTool returns the error of a failing tool and refuses an unknown tool', async () => {
    expect(await call('fail')).toMatchObject({
      status: 200,
      body: { is_error: true, content: [{ text: 'it did not work' }] },
    });
    expect(await call('none')).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('Unknown tool: none') },
    });
    expect((await call('echo', { text: 'still there' })).status).toBe(200);
  });

  test.each([
    ['garbage', /no message of MCP: "this is no message"/],
    ['flood', /writes without end/],
    ['huge', /more than 8388608 bytes/],
    ['die', /has ended, with 3\. It said: a last word/],
  ])('a server that responds with %s is ended with an error', async (tool, detail) => {
    expect((await call('echo', { text: 'before' })).status).toBe(200);
    const before = textOf(await call('where'))
      .split(' ')
      .at(-1);
    expect(await call(tool)).toMatchObject({
      status: 502,
      body: { type: 'bad_gateway_error', detail: expect.stringMatching(detail) },
    });
    await expect.poll(() => run(`kill -0 ${before} 2>&1 || echo gone`)).toContain('gone');
    expect(textOf(await call('echo', { text: 'again' }))).toBe('again');
  });

  test.each([
    ['mute', 502, /has ended, with 5\. It said: cannot read the configuration/],
    ['missing', 502, /has ended, with 127/],
    ['chatty', 502, /no message of MCP: "hello"/],
    ['lost', 409, /nowhere/],
    ['odd', 409, /does not say how/],
    ['remote', 409, /https:\/\/mcp\.example\.com\//],
    ['none', 404, /none/],
  ])('using the server %s fails with a reason', async (name, status, detail) => {
    for (const response of [await main.get(toolsOf(name)), await call('echo', {}, name)])
      expect(response).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
  });

  test('a caller that disconnects is not waited for, and the next one is served', async () => {
    const origin = await listening();
    const leaving = new AbortController();
    const asked = fetch(`${origin}/api/v1${toolsOf('plain')}/hang`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.owner.key}` },
      signal: leaving.signal,
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    leaving.abort();
    await expect(asked).rejects.toThrow();
    // The server still works on the abandoned request.
    const { id } = (await main.get(`${RUNTIME}/capabilities`)).body[0];
    expect(
      (await main.patch(`${RUNTIME}/capabilities/${id}`, { flags: { 'fast-mode': false } })).status,
    ).toBe(200);
    expect(textOf(await call('where'))).toContain(' false ');
    await expect.poll(() => run('pgrep -f "[s]leep 1000" || echo none')).toBe('none\n');
  });

  test('changing the version starts another server', async () => {
    const patch = (body: object) => main.patch(bindings, body);
    await call('where');
    await patch({ version: '2.0.0' });
    expect(textOf(await call('where'))).toContain('kit@2.0.0');
    await patch({ enabled: false });
    await expect.poll(countServers).toBe('0\n');
    expect(await call('where')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('disabled') },
    });
    await patch({ enabled: true });
    expect((await call('where')).status).toBe(200);
  });

  test('MCP servers are only for the owner of a running runtime', async () => {
    expect((await server.as(mia).get(toolsOf('plain'))).status).toBe(403);
    expect((await server.as(mia).post(`${toolsOf('plain')}/echo`)).status).toBe(403);
    await main.post(`${RUNTIME}/pause`);
    for (const response of [await main.get(toolsOf('plain')), await call('echo')])
      expect(response).toMatchObject({ status: 409, body: { detail: expect.stringContaining('paused') } });
    expect((await main.get(`${bindings}/mcp-servers`)).status).toBe(200);
    await main.post(`${RUNTIME}/resume`);
    expect((await call('echo', { text: 'again' })).status).toBe(200);
  });

  test('removing the capability ends its servers', async () => {
    expect((await call('echo', { text: 'last' })).status).toBe(200);
    expect((await main.delete(bindings)).status).toBe(204);
    await expect.poll(countServers).toBe('0\n');
    expect((await call('echo')).status).toBe(404);
    await main.post(`${RUNTIME}/reset`);
    expect((await main.get(toolsOf('plain'))).status).toBe(404);
  });
});

let origin: string | undefined;
async function listening(): Promise<string> {
  origin ??= await server.app.listen({ host: '127.0.0.1', port: 0 });
  return origin;
}
