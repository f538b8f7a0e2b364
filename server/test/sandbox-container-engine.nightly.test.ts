/** The `container` provider beyond the provider suite: terminals, ports, capabilities, and an engine that disappears. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createLog } from '../src/platform/log.ts';
import {
  type ContainerOptions,
  createContainerProvider,
} from '../src/platform/sandbox/container/container-provider.ts';
import { collectOutput } from '../src/platform/sandbox/output.ts';
import type { CapabilityFolder, SandboxProvider } from '../src/platform/sandbox/sandbox-provider.ts';
import { toFolder } from './capability-folders.ts';
import { expectCapabilities, expectRelays } from './containers/engine-elsewhere.ts';
import { findObstacle, startEngine, toClient } from './containers/engine-under-test.ts';
import { end, sh, start, toCommand } from './containers/one-sandbox.ts';
import { openTlsEndpoint } from './containers/tls-endpoint.ts';
import { atEndOfFile } from './end-of-file.ts';
import { call, type ErrorBody, type Method, startServer, until } from './processes.ts';
import { leaveBehind } from './sandbox-suite/adoption.ts';
import { openProvider, toSettings } from './sandbox-suite/provider-under-test.ts';
import { Workbench } from './sandbox-suite/workbench.ts';

const obstacle = findObstacle('docker');
const engine = obstacle === undefined ? await startEngine('docker') : undefined;
if (engine) atEndOfFile(() => engine.close());

const UUID = /^[0-9a-f]{8}-/;

const ended: { readonly id: string; readonly endedAt: Date }[] = [];

function open(settings: Partial<ContainerOptions['settings']> = {}, folder = makeFolder()): SandboxProvider {
  if (!engine) throw new Error('There is no engine');
  const provider = createContainerProvider({
    folder,
    settings: { ...toSettings(engine), ...settings },
    log: createLog('fatal'),
    events: { ended: (id, endedAt) => void ended.push({ id, endedAt }), egress: () => undefined },
  });
  atEndOfFile(() => provider.close());
  return provider;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-containers-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.runIf(engine)('the container provider with an engine', () => {
  const provider = engine ? open() : (undefined as unknown as SandboxProvider);

  test('a terminal has the requested size, follows its changes, and ends with its program', async () => {
    const id = await start(provider);
    const terminal = await provider.openTerminal(
      id,
      { argv: ['bash', '--norc'], cwd: '/workspace', environment: { PS1: '> ' } },
      { columns: 91, rows: 33 },
    );
    let shown = '';
    terminal.output.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
    const type = async (line: string, wanted: RegExp) => {
      terminal.input.write(`${line}\n`);
      await until(`${wanted}`, () => wanted.test(shown));
    };
    await type('stty size; tty; test -w "$(tty)" && echo mine', /33 91\r\n\/dev\/pts\/\d+\r\nmine\r\n/);
    await terminal.resize({ columns: 120, rows: 50 });
    await type('stty size', /50 120\r\n/);
    await type('echo $TERM $HOME; pwd; id -u', /xterm-256color \/home\/user\r\n\/workspace\r\n1000\r\n/);
    terminal.input.write('exit 7\n');
    expect(await terminal.exit).toEqual({ code: 7 });
    await end(provider, id);
  });

  test('closing a terminal ends the processes that run in it, and nothing else', async () => {
    const id = await start(provider);
    await sh(provider, id, 'setsid sleep 7711 >/dev/null 2>&1 </dev/null &');
    const size = { columns: 80, rows: 24 };
    const terminal = await provider.openTerminal(id, toCommand('sleep 7712 & sleep 7713'), size);
    terminal.output.resume();
    await until('its programs', async () => (await sh(provider, id, 'pgrep -cf "^sleep 771[23]"')) === '2\n');
    terminal.kill();
    await terminal.exit;
    await until('their end', async () => (await sh(provider, id, 'pgrep -cf "^sleep 771[23]"')) === '0\n');
    expect(await sh(provider, id, 'pgrep -cf "^sleep 7711"')).toBe('1\n');
    const nowhere = { ...toCommand('true'), cwd: '/nowhere' };
    await expect(provider.openTerminal(id, nowhere, size)).rejects.toMatchObject({ status: 422 });
    await end(provider, id);
  });

  test('a listening port in a sandbox accepts connections, and other ports report that nothing listens', async () => {
    const id = await start(provider);
    const serve = 'python3 -m http.server --bind';
    await sh(
      provider,
      id,
      `echo served >note; for b in "127.0.0.1 8001" "0.0.0.0 8002"; do ${serve} $b >/dev/null 2>&1 & done`,
    );
    for (const port of [8001, 8002]) {
      await until(`port ${port}`, () =>
        provider.connect(id, port).then(
          (found) => found.destroy() && true,
          () => false,
        ),
      );
      const connection = await provider.connect(id, port);
      connection.end('GET /note HTTP/1.0\r\n\r\n');
      expect(await text(connection)).toMatch(/^HTTP\/1.0 200 [^]*served\n$/);
    }
    await expect(provider.connect(id, 8004)).rejects.toMatchObject({ type: 'bad_gateway_error' });
    const left = await provider.connect(id, 8001);
    left.destroy();
    expect(await sh(provider, id, 'pgrep -cx socat')).toBe('0\n');
    await end(provider, id);
  });

  test('capabilities appear completely or not at all, are read-only, and can be removed', async () => {
    const id = await start(provider);
    await provider.setCapabilities(id, [folder('tool', 'v1', 300)], '[1]');
    // Reads all files repeatedly and reports any inconsistent state.
    const watching = await provider.exec(
      id,
      toCommand(
        'while [ ! -e stop ]; do cd /capabilities/tool 2>/dev/null || { echo gone; continue; }; n=$(ls | wc -l); v=$(cat 000 150 299 2>/dev/null | sort -u | tr -d "\\n"); cd /workspace; echo "$n $v"; done | sort -u',
      ),
    );
    for (const version of ['v2', 'v3']) {
      await provider.setCapabilities(id, [folder('tool', version, 300), folder('acme/other', 'o', 3)], '[2]');
    }
    expect(await sh(provider, id, 'cat /capabilities/bindings.json /capabilities/acme/other/002')).toBe(
      '[2]o\n',
    );
    await sh(provider, id, 'touch stop');
    const seen = (await collectOutput(watching, { timeoutMs: 10_000 })).stdout.trim().split('\n');
    expect(seen).toContain('300 v3');
    expect(seen.filter((line) => !/^300 v\d$/.test(line))).toEqual([]);
    expect(
      await sh(
        provider,
        id,
        'for f in /capabilities/x /capabilities/tool/000 /capabilities/tool/x; do (echo x >$f) 2>/dev/null && echo wrote; done; ls -A /capabilities/tool | wc -l',
      ),
    ).toBe('300\n');
    await provider.setCapabilities(id, [], '[]');
    expect(await sh(provider, id, 'ls /capabilities; cat /capabilities/bindings.json')).toBe(
      'bindings.json\n[]',
    );
    await end(provider, id);
  });

  test('an existing capability is not transferred again, and paths that lead outside are refused', async () => {
    const id = await start(provider);
    await provider.setCapabilities(id, [folder('tool', 'v1', 2)], '[]');
    const never: CapabilityFolder = {
      path: 'renamed',
      digest: 'v1',
      files: () => {
        throw new Error('the files were read again');
      },
    };
    await provider.setCapabilities(id, [never], '[]');
    expect(await sh(provider, id, 'ls /capabilities /capabilities/renamed')).toMatch(
      /bindings\.json\nrenamed\n[^]*000\n001\n/,
    );
    for (const path of ['../out', '/etc/out', 'a//b', 'a/../../out', '.']) {
      const hostile: CapabilityFolder = toFolder('bad', { [path]: 'x' });
      await expect(provider.setCapabilities(id, [never, hostile], '[]'), path).rejects.toMatchObject({
        status: 502,
      });
    }
    const both = [folder('acme', 'a', 1), folder('acme/tool', 'b', 1)];
    await expect(provider.setCapabilities(id, both, '[]')).rejects.toMatchObject({ status: 409 });
    expect(await sh(provider, id, 'ls -A /capabilities')).toBe('bindings.json\nrenamed\n');
    await end(provider, id);
  });

  test('a removed image of ours is built again', async () => {
    if (!engine) return;
    const docker = toClient(engine.socketPath);
    for (const { RepoTags, Id } of await docker.listImages())
      if (RepoTags?.some((tag) => tag.includes('drydock-sandbox')))
        await docker.getImage(Id).remove({ force: true });
    const id = await start(provider);
    expect(await sh(provider, id, 'id -un')).toBe('user\n');
    await end(provider, id);
  });

  test('leftovers of a process that was killed during an attempt are removed by the next one', async () => {
    if (!engine) return;
    const place = makeFolder();
    const docker = toClient(engine.socketPath);
    const first = open({}, place);
    await first.probe();
    const listAll = async () => [
      ...(await docker.listContainers({ all: true })).map(({ Id }) => Id),
      ...(await docker.listVolumes()).Volumes.map(({ Name }) => Name),
    ];
    const before = await listAll();
    const host = readFileSync(join(place, 'host-id'), 'utf8').trim();
    const labels = { 'drydock.host': host };
    await docker.createContainer({
      Image: engine.image,
      Cmd: ['true'],
      Labels: { ...labels, 'drydock.sandbox': 'trial-4194304-1-x' },
    });
    await docker.createContainer({
      Image: engine.image,
      Cmd: ['true'],
      Labels: { ...labels, 'drydock.helper': '4194304-1-' },
    });
    await docker.createVolume({ Name: `drydock-${host}-disk-trial-4194304-1-x-var` });
    const foreign = await docker.createContainer({
      Image: engine.image,
      Cmd: ['true'],
      Labels: { 'drydock.host': 'another', 'drydock.helper': '4194304-1-' },
    });
    const next = open({}, place);
    await next.probe();
    expect((await listAll()).toSorted()).toEqual([...before, foreign.id].toSorted());
    await foreign.remove();
  });

  test('sandboxes outlive the process that built their image', async () => {
    if (!engine) return;
    const docker = toClient(engine.socketPath);
    const made = await docker.createContainer({ Image: engine.image, Cmd: ['true'], Env: ['OF_IMAGE=yes'] });
    await made.commit({ repo: 'another', tag: 'latest' });
    await made.remove();
    const place = makeFolder();
    const bench = new Workbench(openProvider(place, { ...engine, image: 'another:latest' }));
    const spec = bench.toSpec();
    await leaveBehind(bench, [{ spec, scripts: ['echo kept >/tmp/note'] }]);
    expect(await bench.provider.adopt(spec.id)).toEqual({ state: 'running' });
    expect(await bench.bash(spec.id, 'cat /tmp/note; echo $OF_IMAGE')).toBe('kept\nyes\n');
    await bench.close();
    await bench.provider.close();
  });

  test('an engine reached by TLS supports everything except egress', async () => {
    if (!engine) return;
    const endpoint = await openTlsEndpoint(engine.socketPath, makeFolder());
    atEndOfFile(() => endpoint.close());
    const remote = open({ host: endpoint.url, certificates: endpoint.certificates });
    expect(await remote.probe()).toMatchObject({ available: true, supportsPause: true });
    await expect(start(remote, ['example.com'])).rejects.toMatchObject({
      type: 'sandbox_provider_error',
      message: expect.stringMatching(/another machine/),
    });
    const id = await start(remote);
    expect(await sh(remote, id, 'head -c 100000 /dev/zero | wc -c; cat')).toBe('100000\n');
    expect(await remote.list()).toEqual([id]);
    await expectRelays(remote, id);
    await expectCapabilities(remote, id);
    await end(remote, id);
    const stranger = open({ host: endpoint.url, certificates: endpoint.strangersCertificates });
    expect(await stranger.probe()).toMatchObject({
      available: false,
      reason: expect.stringMatching(/cannot be reached/),
    });
  });

  test.each([
    ['no image is configured', { image: undefined }, /Set DRYDOCK_CONTAINER_IMAGE/],
    [
      'the engine has no such image',
      { image: 'nobody/has:this' },
      /nobody\/has:this.*DRYDOCK_CONTAINER_PULL/,
    ],
    ['there is no socket', { host: 'unix:///nowhere/engine.sock' }, /\/nowhere\/engine\.sock/],
    ['the engine has no such runtime', { runtime: 'no-such-runtime' }, /no-such-runtime/],
    [
      'there are no certificates',
      { host: 'tcp://127.0.0.1:1', certificates: '/nowhere' },
      /ca\.pem.*DRYDOCK_CONTAINER_CERTS/,
    ],
  ])('the provider says what to do when %s', async (_why, settings, reason) => {
    const none = open(settings);
    const report = await none.probe();
    expect(report).toMatchObject({ available: false, reason: expect.stringMatching(reason) });
    await expect(start(none)).rejects.toMatchObject({ type: 'sandbox_provider_error' });
  });

  test('a configured server runs runtimes in containers, and keeps them when it is killed', async () => {
    if (!engine) return;
    const settings = {
      DRYDOCK_CONTAINER_HOST: `unix://${engine.socketPath}`,
      DRYDOCK_CONTAINER_IMAGE: engine.image,
      DRYDOCK_SIGNUP: 'open',
    };
    let server = await startServer(settings);
    const key = server.owner?.key;
    const ask = async (method: Method, path: string, body?: object) => {
      const response = await call(server.url, key, method, `/org/main${path}`, body);
      expect(response.status, `${method} ${path}: ${JSON.stringify(response.body)}`).toBeLessThan(300);
      return response.body;
    };
    expect(await ask('GET', '/sandbox-providers')).toMatchObject([
      { name: 'container', available: true, isolation: 'container', limits: ['cpu', 'memory', 'pids'] },
      { name: 'namespaces', available: false },
      { name: 'hosted_sandbox', available: false, reason: expect.stringMatching(/configured/) },
    ]);
    await ask('POST', '/ws/main/runtimes', { key: 'first' });
    const runtime = '/ws/main/runtimes/first';
    await ask('POST', `${runtime}/start`);
    await ask('POST', `${runtime}/exec`, { command: 'echo kept >note; echo $$ >/tmp/note' });
    await server.stop('SIGKILL');
    server = await startServer(settings);
    await until('it is taken up', async () => {
      const { body } = await call<{ status: string }>(server.url, key, 'GET', `/org/main${runtime}`);
      return body.status === 'running';
    });
    expect(await ask('POST', `${runtime}/exec`, { command: 'cat note; test -s /tmp/note' })).toMatchObject({
      exit_code: 0,
      stdout: 'kept\n',
    });
    await ask('POST', `${runtime}/pause`);
    await ask('POST', `${runtime}/resume`);
    const hosted = { key: 'hosted', config: { build: { provider: 'hosted_sandbox' } } };
    await ask('POST', '/ws/main/runtimes', hosted);
    const refused = await call<ErrorBody>(server.url, key, 'POST', '/org/main/ws/main/runtimes/hosted/start');
    expect(refused).toMatchObject({ status: 502, body: { type: 'sandbox_provider_error' } });
    await ask('DELETE', runtime);
    await server.stop();
    const docker = toClient(engine.socketPath);
    const left = await docker.listContainers({ all: true, filters: { label: ['drydock.sandbox'] } });
    expect(left.filter(({ Labels }) => UUID.test(Labels['drydock.sandbox'] ?? ''))).toEqual([]);
  });

  test('an image that lacks programs is refused with their names', async () => {
    if (!engine) return;
    const docker = toClient(engine.socketPath);
    const container = await docker.createContainer({
      Image: engine.image,
      Cmd: ['sh', '-c', 'rm /usr/bin/setsid /usr/bin/find'],
    });
    await container.start();
    await container.wait();
    await container.commit({ repo: 'lacking' });
    await container.remove();
    expect((await open({ image: 'lacking' }).probe()).reason).toMatch(/has no setsid, find\./);
  });

  test('an engine that disappears ends only what ran: everything is reported, and then works again', async () => {
    if (!engine) return;
    const id = await start(provider);
    await sh(provider, id, 'echo kept >note');
    const running = await provider.exec(id, toCommand('echo begun; sleep 600'));
    await once(running.stdout, 'readable');
    const output = collectOutput(running, { timeoutMs: 20_000 });
    output.catch(() => undefined);
    await engine.kill();
    await expect(output).rejects.toMatchObject({ type: 'sandbox_provider_error' });
    for (const work of [
      () => provider.exec(id, toCommand('true')),
      () => provider.inspect(id),
      () => provider.pause(id),
      () => provider.kill(id),
      () => provider.list(),
      () => start(provider),
    ]) {
      await expect(work()).rejects.toMatchObject({ type: 'sandbox_provider_error' });
    }
    expect(ended.filter((event) => event.id === id)).toEqual([]);
    await engine.restart();
    // The restarted engine ends the containers that it finds, unless it is configured to keep them.
    await until('the news', () => ended.some((event) => event.id === id), 20_000);
    expect(await provider.inspect(id)).toMatchObject({ state: 'gone' });
    await until('nothing is left', async () => (await provider.list()).length === 0);
    await provider.start({
      id: 'next',
      diskId: `disk-${id}`,
      hostname: 'next',
      limits: {},
      hasWorkspace: true,
      egressAllow: [],
    });
    expect(await sh(provider, 'next', 'cat note')).toBe('kept\n');
    await provider.kill('next');
    await provider.removeDisk(`disk-${id}`);
    expect(await provider.listDisks()).toEqual([]);
  });
});

if (obstacle !== undefined) test('the container provider with its engine', ({ skip }) => skip(obstacle));

/** A folder of this many files, each of which names its version. */
const folder = (path: string, version: string, files: number): CapabilityFolder => {
  const entries = Array.from(
    { length: files },
    (_, n) => [String(n).padStart(3, '0'), `${version}\n`] as const,
  );
  return { ...toFolder(path, entries), digest: version };
};
