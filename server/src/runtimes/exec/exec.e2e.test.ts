/** Commands in a real sandbox, through the API. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EventReader, openEvents } from '../../../test/event-harness.ts';
import { startTestServer } from '../../../test/harness.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const MEBIBYTE = 1024 * 1024;

const server = await startTestServer({}, [], { hasSandboxes: true });
const { owner } = server;
const me = server.as(owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;

const execIn = (key: string, body: object, who = me) => who.post(`${RUNTIMES}/${key}/exec`, body);
const exec = async (body: object) => {
  const response = await execIn('first', body);
  expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 });
  return response.body;
};
const run = (command: string | string[], more: object = {}) => exec({ command, ...more });

async function makeRuntime(key: string, config: object = {}): Promise<void> {
  expect(await me.post(RUNTIMES, { key, config })).toMatchObject({ status: 201 });
  expect(await me.post(`${RUNTIMES}/${key}/start`)).toMatchObject({ status: 200 });
}

describe.skipIf(!available)('exec', () => {
  beforeAll(() => makeRuntime('first'));

  test('exec returns the output and the exit code', async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      exit_code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      timed_out: false,
      duration_ms: expect.any(Number),
    });
  });

  test('exec runs a string as a bash command line and a list as a program with arguments', async () => {
    expect(await run('[[ a == a ]] && echo "$0 $BASH"')).toMatchObject({
      stdout: expect.stringMatching(/^bash .*\/bash\n$/),
    });
    expect(await run(['echo', '$HOME', '*', '; id'])).toMatchObject({ stdout: '$HOME * ; id\n' });
    expect(await run(['printf', '%s|', '', ' ', 'ü'])).toMatchObject({ stdout: '| |ü|' });
  });

  test('exec runs in /workspace or in the given folder', async () => {
    expect(await run('pwd')).toMatchObject({ stdout: '/workspace\n' });
    expect(await run(['pwd'], { cwd: '/tmp' })).toMatchObject({ stdout: '/tmp\n' });
    expect(await execIn('first', { command: 'pwd', cwd: '/nowhere' })).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'cwd'], msg: expect.stringMatching(/\/nowhere/) }] },
    });
  });

  test("exec passes the given environment and nothing of the server's", async () => {
    expect(await run('echo "$A|$B"', { env: { A: 'x y', B: '$HOME' } })).toMatchObject({
      stdout: 'x y|$HOME\n',
    });
    const { stdout } = await run('env');
    expect(stdout).not.toMatch(/DRYDOCK|DATABASE|VITEST|NODE_/);
    expect(stdout).toMatch(/^HOME=\/home\/user$/m);
  });

  test('exec passes text, bytes or nothing as stdin', async () => {
    expect(await run('cat', { stdin: 'Grüße\n' })).toMatchObject({ stdout: 'Grüße\n' });
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(
      await run('od -An -tx1 -v | tr -d " \\n"', { stdin_base64: every.toString('base64') }),
    ).toMatchObject({
      stdout: every.toString('hex'),
    });
    expect(await run('wc -c')).toMatchObject({ stdout: '0\n' });
    const large = 'x'.repeat(3 * MEBIBYTE);
    expect(await run('wc -c', { stdin: large })).toMatchObject({ stdout: `${large.length}\n` });
  });

  test('exec passes as much stdin as a request body can contain', async () => {
    const bytes = Buffer.alloc(11 * MEBIBYTE, 0xfb);
    expect(await run('wc -c', { stdin_base64: bytes.toString('base64') })).toMatchObject({
      stdout: `${bytes.length}\n`,
    });
  });

  test.each([
    ['arguments', { command: ['true', ...Array<string>(100).fill('x'.repeat(100_000))] }, 'command'],
    [
      'an environment',
      {
        command: 'true',
        env: Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`V${n}`, 'x'.repeat(65_000)])),
      },
      'command',
    ],
  ])('exec refuses %s beyond what a process can have', async (_, body, field) => {
    expect(await execIn('first', body)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', field], msg: expect.stringMatching(/too long/) }] },
    });
  });

  test.each(['A', 'AA', 'A===', '====', 'AA=A', 'A A='])(
    'exec refuses %j as base64',
    async (stdin_base64) => {
      expect(await execIn('first', { command: 'cat', stdin_base64 })).toMatchObject({
        status: 422,
        body: { errors: [{ loc: ['body', 'stdin_base64'] }] },
      });
    },
  );

  test('exec accepts input that the command does not read', async () => {
    expect(await run('exit 5', { stdin: 'x'.repeat(MEBIBYTE) })).toMatchObject({ exit_code: 5 });
  });

  test('exec returns 127 for an unknown program, as a string and as a list', async () => {
    expect(await run('no-such-program')).toMatchObject({ exit_code: 127 });
    expect(await run(['no-such-program'])).toMatchObject({ exit_code: 127 });
    expect(await run(['/no/such/program'])).toMatchObject({ exit_code: 127 });
  });

  test('exec returns 128 plus the signal for a killed command', async () => {
    expect(await run('kill -TERM $$')).toMatchObject({ exit_code: 143, timed_out: false });
  });

  test('exec truncates each output at 1 MiB and decodes it as text', async () => {
    const cut = await run('head -c 3000000 /dev/zero | tr "\\0" x; head -c 10 /dev/zero | tr "\\0" y >&2');
    expect(cut).toMatchObject({ truncated: true, stderr: 'y'.repeat(10), exit_code: 0 });
    expect(cut.stdout).toBe('x'.repeat(MEBIBYTE));
    expect(await run("printf 'a\\377b'")).toMatchObject({ stdout: 'a\uFFFDb', truncated: false });
  });

  test('exec kills a command and its child processes after the timeout', async () => {
    const { timed_out, stdout } = await run('echo begun; sleep 3210 & sleep 3210', { timeout_seconds: 2 });
    expect([timed_out, stdout]).toEqual([true, 'begun\n']);
    expect(await run('pgrep -fc "^sleep 3210$"')).toMatchObject({ stdout: '0\n' });
  });

  test('exec keeps background processes of the command running', async () => {
    await run('setsid sleep 654 > /dev/null 2>&1 < /dev/null &');
    expect(await run('pgrep -f "^sleep 654$" > /dev/null')).toMatchObject({ exit_code: 0 });
    await run('pkill -f "^sleep 654$"');
  });
});

describe.skipIf(!available)('exec as a stream of events', () => {
  async function follow(body: object) {
    if (!server.app.server.listening) await server.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.app.server.address() as AddressInfo;
    return openEvents(`http://127.0.0.1:${port}/api/v1${RUNTIMES}/first/exec`, owner.key, undefined, body);
  }

  /** Leaves out heartbeats, which are comments sent every 15 s. */
  const eventsOf = ({ frames }: EventReader) => frames.filter(({ event }) => event !== undefined);

  test('exec streams output as it is written, then the exit code', async () => {
    const command = 'echo one; until [ -e /tmp/go ]; do sleep 0.05; done; echo two >&2; exit 4';
    const reader = await follow({ command, stream: true });
    await expect.poll(() => eventsOf(reader)).toEqual([{ event: 'stdout', data: { data: 'one\n' } }]);
    await run('touch /tmp/go');
    expect(await reader.ended).toBe('ended');
    expect(eventsOf(reader).slice(1)).toEqual([
      { event: 'stderr', data: { data: 'two\n' } },
      {
        event: 'exit',
        data: { exit_code: 4, timed_out: false, truncated: false, duration_ms: expect.any(Number) },
      },
    ]);
  });

  test('exec applies backpressure while the reader is slow and loses nothing', async () => {
    const reader = await follow({ command: 'yes 0123456789abcde | head -c 64000000; echo done > /tmp/done' });
    reader.pause();
    await sleep(500);
    expect(await run('cat /tmp/done')).toMatchObject({ exit_code: 1 });
    reader.resume();
    expect(await reader.ended).toBe('ended');
    const texts = eventsOf(reader).flatMap(({ data }) => (data as { data?: string }).data ?? []);
    expect(texts.reduce((sum, { length }) => sum + length, 0)).toBe(64_000_000);
    expect(eventsOf(reader).at(-1)).toMatchObject({
      event: 'exit',
      data: { exit_code: 0, truncated: false },
    });
  });

  test('exec ends the command when the reader disconnects', async () => {
    const reader = await follow({ command: 'echo begun; sleep 987' });
    await expect.poll(() => eventsOf(reader)).toHaveLength(1);
    reader.leave();
    await expect.poll(() => run('pgrep -fc "^sleep 987$"')).toMatchObject({ stdout: '0\n' });
  });
});

describe.skipIf(!available)('access to exec', () => {
  test('exec returns 409 naming the next step while the runtime is idle or paused', async () => {
    await me.post(RUNTIMES, { key: 'idle' });
    expect(await execIn('idle', { command: 'id' })).toMatchObject({
      status: 409,
      body: { type: 'conflict_error', detail: expect.stringMatching(/start/) },
    });
    await makeRuntime('paused');
    await me.post(`${RUNTIMES}/paused/pause`);
    for (const stream of [true, false]) {
      expect(await execIn('paused', { command: 'id', stream })).toMatchObject({
        status: 409,
        body: { type: 'conflict_error', detail: expect.stringMatching(/resume/) },
      });
    }
    await me.delete(`${RUNTIMES}/paused`);
  });

  test('exec returns 404 for unknown runtimes and 403 for those of other members', async () => {
    expect(await execIn('nothing', { command: 'id' })).toMatchObject({ status: 404 });
    const member = server.as(await server.addPerson('colleague', { role: 'member' }));
    const admin = server.as(await server.addPerson('admin', { role: 'admin' }));
    const stranger = server.as(await server.addPerson('stranger'));
    expect(await execIn('first', { command: 'id' }, member)).toMatchObject({ status: 403 });
    expect(await execIn('first', { command: 'id' }, admin)).toMatchObject({ status: 403 });
    expect(await execIn('first', { command: 'id' }, stranger)).toMatchObject({ status: 403 });
  });

  test.each([
    ['no command', {}, ['body', 'command']],
    ['an empty line', { command: '' }, ['body', 'command']],
    ['an empty list', { command: [] }, ['body', 'command']],
    ['no program', { command: ['', 'x'] }, ['body', 'command']],
    ['NUL in a line', { command: 'a\0b' }, ['body', 'command']],
    ['NUL in what it reads', { command: 'cat', stdin: 'a\0b' }, ['body', 'stdin']],
    ['no base64', { command: 'cat', stdin_base64: 'not base64' }, ['body', 'stdin_base64']],
    ['two inputs', { command: 'cat', stdin: 'a', stdin_base64: 'YQ==' }, ['body', 'stdin_base64']],
    ['a relative folder', { command: 'id', cwd: 'here' }, ['body', 'cwd']],
    ['no time', { command: 'id', timeout_seconds: 0 }, ['body', 'timeout_seconds']],
    ['a variable that is none', { command: 'id', env: { 'A=B': 'x' } }, ['body', 'env', 'A=B']],
    [
      'an argument too long for the kernel',
      { command: ['echo', 'x'.repeat(131_072)] },
      ['body', 'command', 1],
    ],
  ])('exec with %s returns 422 with the location of the error', async (_what, body, loc) => {
    const response = await execIn('first', body);
    expect(response).toMatchObject({ status: 422, body: { type: 'validation_error' } });
    expect(response.body.errors.map((error: { loc: unknown }) => error.loc)).toEqual([loc]);
  });
});

test.skipIf(!available)('exec runs in / when the sandbox has no /workspace', async () => {
  await makeRuntime('bare', { sandbox: { workspace_mount: false } });
  expect((await execIn('bare', { command: 'pwd; ls -d /workspace' })).body).toMatchObject({
    stdout: '/\n',
    exit_code: 2,
  });
  await me.delete(`${RUNTIMES}/bare`);
});
