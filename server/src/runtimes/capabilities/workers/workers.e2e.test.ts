/** Workers of capabilities in real sandboxes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { publishCapability } from '../../../../test/capabilities.ts';
import { startTestServer } from '../../../../test/harness.ts';

const server = await startTestServer({}, [], { hasSandboxes: true });
const main = server.as(server.owner);
const mia = await server.addPerson('mia', { role: 'member' });
const RUNTIME = '/org/main/ws/main/runtimes/box';
const [{ available }] = (await main.get('/org/main/sandbox-providers')).body;

const MANIFEST = `
flags: {deep: {}}
workers:
  line: echo "in $PWD as $CAPABILITY_NAME"; sleep 4401
  program: [./loop.sh, "\${CAPABILITY_ROOT}"]
  full: {command: ./loop.sh, args: [again], env: {SETTING: "\${CAPABILITY_ROOT}/s", LEVEL: 3}}
  stubborn: {command: "trap '' TERM; (trap '' TERM; sleep 4402) & sleep 4402 & wait; wait; sleep 4402"}
  brief: {command: "echo bye; exit 7"}
  missing: [no-such-program]
  noisy: "yes x | head -c 3000000; echo the end; sleep 4403"
  a/b c: sleep 4404
  odd: {argv: [x]}
`;
const LOOP = '#!/bin/sh\necho "$1 $SETTING $LEVEL $CAPABILITY_FLAG_DEEP"\nwhile :; do sleep 4405; done\n';

let workers = '';
const at = (name: string) => `${workers}/${encodeURIComponent(name)}`;
const start = (name: string) => main.post(`${at(name)}/start`);
const stop = (name: string) => main.post(`${at(name)}/stop`);
const getWorker = async (name: string) =>
  (await main.get(workers)).body.find((one: { name: string }) => one.name === name);
const logOf = async (name: string) => (await main.get(`${at(name)}/log`)).body.log as string;
const run = async (command: string) =>
  (await main.post(`${RUNTIME}/exec`, { command })).body.stdout as string;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.000Z$/);

describe.skipIf(!available)('workers', () => {
  beforeAll(async () => {
    await publishCapability(main, { name: 'crew', manifest: MANIFEST, files: { 'loop.sh': LOOP } });
    await main.post('/org/main/ws/main/runtimes', { key: 'box' });
    await main.post(`${RUNTIME}/start`);
    const { body } = await main.post(`${RUNTIME}/capabilities`, { name: 'crew' });
    workers = `${RUNTIME}/capabilities/${body.id}/workers`;
  });

  test('workers are not running before they are started', async () => {
    const { status, body } = await main.get(workers);
    expect(status).toBe(200);
    expect(body).toHaveLength(9);
    for (const one of body)
      expect(one).toEqual({ name: one.name, state: 'stopped', started_at: null, exit_code: null });
  });

  test.each([
    ['line', 'in /capabilities/crew as crew\n'],
    ['program', '/capabilities/crew   false\n'],
    ['full', 'again /capabilities/crew/s 3 false\n'],
    ['a/b c', ''],
  ])('the worker %s is started, read and stopped', async (name, log) => {
    const running = { name, state: 'running', started_at: TIME, exit_code: null };
    expect(await start(name)).toMatchObject({ status: 200, body: running });
    expect(await start(name)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('runs already') },
    });
    await expect.poll(() => logOf(name)).toBe(log);
    expect(await getWorker(name)).toEqual(running);
    expect(await stop(name)).toMatchObject({ status: 200, body: { name, state: 'stopped', exit_code: 143 } });
    expect(await stop(name)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('does not run') },
    });
    expect(await run('pgrep -f "[s]leep 440" || echo none')).toBe('none\n');
    expect((await start(name)).status).toBe(200);
    expect((await stop(name)).status).toBe(200);
  });

  test('one of several concurrent starts of a worker succeeds', async () => {
    const responses = await Promise.all(Array.from({ length: 6 }, () => start('line')));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409, 409, 409,
    ]);
    expect(await run('pgrep -fx "sleep 4401" | wc -l')).toBe('1\n');
    await stop('line');
  });

  test('a worker that ignores TERM is killed with all of its child processes', async () => {
    await start('stubborn');
    await expect.poll(() => run('pgrep -fxc "sleep 4402" || :')).toBe('2\n');
    const began = performance.now();
    expect(await stop('stubborn')).toMatchObject({ status: 200, body: { state: 'stopped', exit_code: 137 } });
    expect(performance.now() - began).toBeGreaterThan(4_000);
    expect(await run('pgrep -f "[s]leep 4402" || echo none')).toBe('none\n');
  });

  test('a worker that ends by itself has the state exited', async () => {
    await start('brief');
    await expect
      .poll(() => getWorker('brief'))
      .toEqual({ name: 'brief', state: 'exited', started_at: TIME, exit_code: 7 });
    expect(await logOf('brief')).toBe('bye\n');
    expect((await stop('brief')).status).toBe(409);
    await start('missing');
    await expect.poll(async () => (await getWorker('missing')).exit_code).toBe(127);
    expect(await logOf('missing')).toContain('no-such-program');
  });

  test('the log keeps the end of any amount of output', async () => {
    await start('noisy');
    await expect.poll(async () => (await logOf('noisy')).endsWith('x\nthe end\n')).toBe(true);
    expect((await logOf('noisy')).length).toBe(64 * 1024);
    expect(Number(await run('du -sb /tmp/.capability-workers | cut -f1'))).toBeLessThan(900_000);
    await stop('noisy');
  });

  test('unknown and unreadable workers are refused', async () => {
    for (const send of [start, stop]) expect((await send('none')).status).toBe(404);
    expect((await main.get(`${at('none')}/log`)).status).toBe(404);
    expect(await start('odd')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('does not say how') },
    });
    expect((await start('toString')).status).toBe(404);
  });

  test('workers are only for the owner of a running runtime, and keep running after a pause', async () => {
    await start('line');
    const theirs = server.as(mia);
    for (const response of [
      await theirs.get(workers),
      await theirs.post(`${at('line')}/stop`),
      await theirs.get(`${at('line')}/log`),
    ])
      expect(response.status).toBe(403);
    await main.post(`${RUNTIME}/pause`);
    for (const response of [await main.get(workers), await start('brief'), await stop('line')])
      expect(response.status).toBe(409);
    await main.post(`${RUNTIME}/resume`);
    expect((await getWorker('line')).state).toBe('running');
  });

  test('records written by a guest are validated when they are read', async () => {
    await run(
      'cd /tmp/.capability-workers/*/; for d in */; do printf "1 2\\n3" >$d/started; printf "%0300d" 1 >$d/exit; done',
    );
    const { status, body } = await main.get(workers);
    expect([status, body.length]).toEqual([200, 9]);
    await run('chmod 000 /tmp/.capability-workers; ln -s / /tmp/.other');
    expect((await main.get(workers)).status).toBe(200);
    await run('chmod 700 /tmp/.capability-workers');
  });

  test('workers end when their capability is disabled or removed', async () => {
    const binding = workers.replace(/\/workers$/, '');
    expect((await start('program')).status).toBe(200);
    expect((await main.patch(binding, { enabled: false })).status).toBe(200);
    expect(await run('pgrep -f "[s]leep 440" || echo none')).toBe('none\n');
    expect((await start('program')).status).toBe(409);
    await main.patch(binding, { enabled: true });
    expect((await start('program')).status).toBe(200);
    expect((await main.delete(binding)).status).toBe(204);
    expect(await run('pgrep -f "[s]leep 440" || echo none')).toBe('none\n');
    expect((await main.get(workers)).status).toBe(404);
    await main.delete(RUNTIME);
  });
});
