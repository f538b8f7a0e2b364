/** Sandboxes of background work, with real ones: their features and visibility. */
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { MCP_SERVER, publishCapability } from '../../../test/capabilities.ts';
import { fail, startEphemeralWorld } from '../../../test/ephemeral-world.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { createTools } from '../../platform/agent/tools.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { SandboxGone } from '../service.ts';

const world = await startEphemeralWorld();
const { server, db, owner, mia, provider, sandboxes, asked, listRuntimes, lapse } = world;
const { organizationId } = asked.owner;
const me = server.as(mia);

const limit = (max_concurrent_sandboxes: number | null) =>
  server.as(owner).patch('/org/main', { max_concurrent_sandboxes });

describe('withSandbox', () => {
  test('withSandbox runs commands and reads and writes files', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      expect(
        await sandbox.exec('read a; echo "$a $B"; pwd; echo err >&2; exit 3', {
          stdin: 'in\n',
          env: { B: 'b' },
          cwd: '/tmp',
        }),
      ).toEqual({
        exitCode: 3,
        stdout: 'in b\n/tmp\n',
        stderr: 'err\n',
        truncated: false,
        timedOut: false,
        durationMs: expect.any(Number),
      });
      expect(await sandbox.exec(['echo', '$HOME'])).toMatchObject({ stdout: '$HOME\n' });
      expect(await sandbox.exec('cat', { stdin: Readable.from(['a', 'b']), maxBytes: 1 })).toMatchObject({
        stdout: 'a',
        truncated: true,
      });
      expect(await sandbox.exec('sleep 600', { timeoutSeconds: 1 })).toMatchObject({ timedOut: true });
      for (const content of ['text', '', Buffer.from([0, 255]), Readable.from([Buffer.from('piece')])]) {
        await sandbox.writeFile('a/b', content);
        const read = await sandbox.readFile('/workspace/a/b');
        if (!(content instanceof Readable)) expect(read).toEqual(Buffer.from(content));
        else expect(read.toString()).toBe('piece');
      }
      await expect(sandbox.readFile('a/b', { maxBytes: 4 })).rejects.toMatchObject({ type: 'invalid_error' });
      await expect(sandbox.readFile('missing')).rejects.toMatchObject({ type: 'not_found_error' });
      await expect(sandbox.exec('a\0b')).rejects.toMatchObject({ type: 'validation_error' });
    });
  });

  test('withSandbox serves the built-in tools of an agent', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      const tools = new Map(createTools(sandbox).map((tool) => [tool.name, tool]));
      const use = (name: string, args: Record<string, unknown>) =>
        tools.get(name)?.run(args, new AbortController().signal);
      const content = `${'x'.repeat(200_000)}\nGr\u00fc\u00dfe\n`;
      expect(await use('write_file', { path: 'new/a.txt', content })).toBe(
        'Wrote 200009 bytes to /workspace/new/a.txt.',
      );
      await use('edit_file', { path: 'new/a.txt', old_text: 'Gr\u00fc\u00dfe', new_text: 'Hello' });
      expect(await use('read_file', { path: '/workspace/new/a.txt', offset: 2 })).toBe('Hello\n');
      expect(await use('read_file', { path: 'none' })).toBe('/workspace/none does not exist.');
      expect(await use('bash', { command: 'pwd; tail -n 1 new/a.txt' })).toBe('/workspace\nHello\n');
      expect(await use('bash', { command: 'sleep 600', timeout_seconds: 1 })).toContain('killed after 1 s');
      expect(await use('bash', { command: 'x'.repeat(200_000) })).toContain('at most 131071 bytes');
      expect(await use('write_file', { path: '/usr/a', content: '' })).toContain(
        '/usr/a cannot be written: ',
      );
      await sandbox.end();
      const gone = { cause: expect.any(SandboxGone) };
      await expect(use('bash', { command: 'true' })).rejects.toMatchObject(gone);
    });
  });

  test('withSandbox gives the sandbox its configuration and its capabilities', async () => {
    await publishCapability(server.as(owner), { name: 'linter', files: { 'rules.txt': 'strict\n' } });
    const config = { runtime_server: { env: { COLOUR: 'red' } }, capabilities: [{ name: 'linter' }] };
    await sandboxes.withSandbox({ ...asked, config }, async (sandbox) => {
      expect(sandbox.capabilities).toEqual([
        { name: 'linter', version: '1.0.0', folder: '/capabilities/linter' },
      ]);
      expect(await sandbox.exec('echo $COLOUR; cat /capabilities/linter/rules.txt')).toMatchObject({
        stdout: 'red\nstrict\n',
      });
    });
    const wrong = { capabilities: [{ name: 'nothing' }] };
    await expect(sandboxes.withSandbox({ ...asked, config: wrong }, fail)).rejects.toMatchObject({
      type: 'validation_error',
    });
    const small = { resources: { memory_mb: 1 } };
    await expect(sandboxes.withSandbox({ ...asked, config: small }, fail)).rejects.toMatchObject({
      type: 'validation_error',
    });
  });

  test('withSandbox starts each MCP server once, at its first use, and ends it with the sandbox', async () => {
    await publishCapability(server.as(owner), {
      name: 'kit',
      manifest: 'mcp: {servers: {one: {command: ./server.sh}, two: {command: ./server.sh}}}\n',
      files: { 'server.sh': MCP_SERVER },
    });
    const config = { capabilities: [{ name: 'kit' }] };
    await sandboxes.withSandbox({ ...asked, config }, async (sandbox) => {
      const count = async () => (await sandbox.exec('pgrep -cf "[s]erver.sh"')).stdout.trim();
      const where = { capability: 'kit', server: 'one', name: 'where' };
      const first = await sandbox.callMcpTool(where, {});
      expect(await count()).toBe('1');
      const tool = { capability: 'kit', description: '', inputSchema: { type: 'object' } };
      const echo = { ...tool, name: 'echo', description: 'says it again' };
      expect(await sandbox.listMcpTools()).toEqual([
        { ...echo, server: 'one' },
        { ...tool, server: 'one', name: 'where' },
        { ...echo, server: 'two' },
        { ...tool, server: 'two', name: 'where' },
      ]);
      expect(await sandbox.callMcpTool(where, {})).toEqual(first);
      expect(await count()).toBe('2');
      const unknown = sandbox.callMcpTool({ ...where, server: 'three' }, {});
      await expect(unknown).rejects.toMatchObject({ type: 'not_found_error' });
      await sandbox.end();
      await expect(sandbox.callMcpTool(where, {})).rejects.toBeInstanceOf(SandboxGone);
    });
  });

  test('withSandbox removes the sandbox when the callback throws', async () => {
    const work = sandboxes.withSandbox(asked, async () => {
      expect(await provider.list()).toHaveLength(1);
      throw new Error('the work has failed');
    });
    await expect(work).rejects.toThrow('the work has failed');
  });

  test('withSandbox removes the sandbox and ends its command when the signal aborts', async () => {
    const abort = new AbortController();
    const work = sandboxes.withSandbox({ ...asked, signal: abort.signal }, async (sandbox) => {
      const running = sandbox.exec('sleep 1000');
      await vi.waitFor(async () =>
        expect(await sandbox.exec('pgrep -x sleep')).toMatchObject({ exitCode: 0 }),
      );
      abort.abort(new Error('cancelled'));
      await running;
    });
    await expect(work).rejects.toThrow('cancelled');
    await expect(sandboxes.withSandbox({ ...asked, signal: abort.signal }, fail)).rejects.toThrow(
      'cancelled',
    );
  });
});

describe('ephemeral sandboxes', () => {
  test('operations on runtimes return 404 for an ephemeral one, by key and by id', async () => {
    await sandboxes.withSandbox(asked, async () => {
      const [runtime] = await listRuntimes();
      const path = '/org/main/ws/main/runtimes';
      expect((await me.get(path)).body.items).toEqual([]);
      for (const given of [runtime?.id, `eval-${runtime?.id}`]) {
        expect((await me.get(`${path}/${given}`)).status).toBe(404);
        expect((await me.get(`${path}/${given}/config`)).status).toBe(404);
        expect((await me.post(`${path}/${given}/exec`, { command: 'id' })).status).toBe(404);
        expect((await me.get(`${path}/${given}/files?path=a`)).status).toBe(404);
        for (const verb of ['start', 'pause', 'resume', 'reset'])
          expect((await me.post(`${path}/${given}/${verb}`)).status).toBe(404);
        expect((await me.delete(`${path}/${given}`)).status).toBe(404);
      }
      const query = 'SELECT count(*) AS n FROM runtimes';
      expect((await me.post('/org/main/ws/main/query', { query })).body).toMatchObject({ rows: [[0]] });
    });
  });

  test('listSandboxes returns an ephemeral sandbox with its origin', async () => {
    await sandboxes.withSandbox(asked, async ({ id }) => {
      const { body } = await me.get('/org/main/sandboxes?state=running');
      expect(body.items).toMatchObject([{ sandbox_id: id, origin: 'eval', owned_by_me: true }]);
    });
    const { body } = await me.get('/org/main/sandboxes');
    expect(body.items[0]).toMatchObject({ origin: 'eval', state: 'killed', runtime_key: null });
    await me.post('/org/main/ws/main/runtimes', { key: 'mine' });
    await me.post('/org/main/ws/main/runtimes/mine/start');
    const { body: list } = await me.get('/org/main/sandboxes?state=running');
    expect(list.items).toMatchObject([{ runtime_key: 'mine', origin: 'user' }]);
    await me.delete('/org/main/ws/main/runtimes/mine');
  });

  test('starting and ending an ephemeral sandbox writes no audit rows', async () => {
    const count = async () =>
      (
        await sql<{ n: number }>`
        SELECT count(*) AS n FROM audit_log WHERE organization_id = ${organizationId} AND resource LIKE 'runtimes/%'`.execute(
          db,
        )
      ).rows[0]?.n;
    const before = await count();
    await sandboxes.withSandbox(asked, (sandbox) => sandbox.end());
    await sandboxes.withSandbox(asked, async ({ id }) => {
      expect((await server.as(owner).delete(`/org/main/sandboxes/${id}`)).status).toBe(204);
    });
    expect(await count()).toBe(before);
  });

  test('getSandboxUsage counts an ephemeral sandbox for its owner', async () => {
    const usage = async () => (await me.get('/org/main/sandboxes/usage')).body;
    const before = await usage();
    const id = await sandboxes.withSandbox(asked, async (sandbox) => {
      await sandbox.exec('sleep 0.1');
      return sandbox.id;
    });
    expect((await usage()).sessions_count).toBe(before.sessions_count + 1);
    const { rows } = await sql<{ user_id: string; seconds: number; credits: number }>`
      SELECT user_id, seconds, credits FROM usage_events
       WHERE organization_id = ${organizationId} AND external_id LIKE ${`${id}/%`}`.execute(db);
    expect(rows).toMatchObject([{ user_id: mia.id, credits: 1 }]);
    expect(Number(rows[0]?.seconds)).toBeGreaterThan(0.1);
  });

  test('exec throws SandboxGone when its runtime limit is reached', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      await sql`UPDATE sandboxes SET expires_at = now() WHERE organization_id = ${organizationId} AND id = ${sandbox.id}`.execute(
        db,
      );
      await expect(sandbox.exec('sleep 1000')).rejects.toThrow(/has reached its runtime limit/);
      await expect(sandbox.exec('true')).rejects.toBeInstanceOf(SandboxGone);
    });
  });

  test('exec throws SandboxGone when an admin ends it', async () => {
    await sandboxes.withSandbox(asked, async (sandbox) => {
      const running = sandbox.exec('sleep 1000');
      const gone = expect(running).rejects.toBeInstanceOf(SandboxGone);
      expect((await server.as(owner).delete(`/org/main/sandboxes/${sandbox.id}`)).status).toBe(204);
      await gone;
      await expect(sandbox.readFile('a')).rejects.toThrow(/Ended by an admin/);
    });
  });
});

describe('capacity', () => {
  test('withSandbox waits until another sandbox ends, while a start by a user is refused', async () => {
    await limit(1);
    const order: string[] = [];
    const { promise: isSecondWaiting, resolve } = Promise.withResolvers<void>();
    const first = sandboxes.withSandbox(asked, async () => {
      await isSecondWaiting;
      order.push('first');
    });
    await vi.waitFor(async () => expect(await provider.list()).toHaveLength(1));
    const second = sandboxes.withSandbox(asked, async () => void order.push('second'));
    await vi.waitFor(async () => expect(await listRuntimes()).toHaveLength(2));
    await me.post('/org/main/ws/main/runtimes', { key: 'mine' });
    expect(await me.post('/org/main/ws/main/runtimes/mine/start')).toMatchObject({ status: 429 });
    await me.delete('/org/main/ws/main/runtimes/mine');
    resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    await limit(null);
  });

  test('withSandbox stops waiting when the signal aborts', async () => {
    await limit(0);
    const abort = new AbortController();
    const work = sandboxes.withSandbox({ ...asked, signal: abort.signal }, fail);
    const refused = expect(work).rejects.toThrow('cancelled');
    await vi.waitFor(async () => expect(await listRuntimes()).toHaveLength(1));
    abort.abort(new Error('cancelled'));
    await refused;
    await limit(null);
  });
});

describe('owners', () => {
  const refused = { type: 'forbidden_error' };

  test('withSandbox refuses a foreign organization or workspace, and creates nothing', async () => {
    const other = await addOrganization(server, owner, 'other');
    const { id: foreign } = (await server.as(owner).get('/org/other/ws/main')).body;
    await server.as(owner).post('/org/main/ws', { name: 'closed', is_restricted: true });
    const { id: closed } = (await server.as(owner).get('/org/main/ws/closed')).body;
    for (const place of [
      { workspaceId: foreign },
      { organizationId: other },
      { organizationId: other, workspaceId: foreign },
      { workspaceId: closed },
      { workspaceId: uuidv7() },
      { userId: uuidv7() },
    ]) {
      const request = { ...asked, owner: { ...asked.owner, ...place } };
      await expect(sandboxes.withSandbox(request, fail), JSON.stringify(place)).rejects.toMatchObject(
        refused,
      );
    }
    expect(await sql`SELECT FROM runtimes WHERE organization_id = ${other}`.execute(db)).toMatchObject({
      rows: [],
    });
  });

  test('withSandbox refuses a reader of the workspace', async () => {
    const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
    const request = { ...asked, owner: { ...asked.owner, userId: reader.id } };
    await expect(sandboxes.withSandbox(request, fail)).rejects.toMatchObject(refused);
  });

  test('withSandbox of a removed member stops waiting for capacity and starts nothing', async () => {
    const eve = await server.addPerson('eve', { role: 'member' });
    await server.as(owner).patch('/org/main', { max_concurrent_sandboxes: 0 });
    const work = sandboxes.withSandbox({ ...asked, owner: { ...asked.owner, userId: eve.id } }, fail);
    const refused = expect(work).rejects.toMatchObject({ type: 'forbidden_error' });
    await server.as(owner).delete(`/org/main/members/${eve.id}`);
    await refused;
    await server.as(owner).patch('/org/main', { max_concurrent_sandboxes: null });
  });

  test('exec returns 403 when the owner can no longer access the workspace', async () => {
    const zoe = await server.addPerson('zoe', { role: 'member' });
    const closed = sandboxes.withSandbox(
      { ...asked, owner: { ...asked.owner, userId: zoe.id } },
      async (sandbox) => {
        const running = expect(sandbox.exec('sleep 1000')).rejects.toMatchObject({ type: 'forbidden_error' });
        await server.as(owner).patch('/org/main/ws/main', { is_restricted: true });
        await running;
        await sandbox.exec('echo still here');
      },
    );
    await expect(closed).rejects.toMatchObject({ type: 'forbidden_error' });
    await server.as(owner).patch('/org/main/ws/main', { is_restricted: false });
  });

  test('withSandbox refuses a removed member, whose kept sandboxes are ended', async () => {
    const leaver = await server.addPerson('leaver', { role: 'member' });
    await server.as(owner).patch('/org/main', { max_members: 1 });
    const request = { ...asked, owner: { ...asked.owner, userId: leaver.id } };
    const id = await sandboxes.withSandbox(request, async (sandbox) => {
      await sandbox.keep(60);
      return sandbox.id;
    });
    expect((await server.as(owner).delete(`/org/main/members/${leaver.id}`)).status).toBe(204);
    expect((await server.as(owner).get(`/org/main/sandboxes/${id}`)).body).toMatchObject({ state: 'killed' });
    await expect(sandboxes.withSandbox(request, fail)).rejects.toMatchObject(refused);
    await expect(sandboxes.resumeSandbox({ ...request, id }, fail)).rejects.toMatchObject(refused);
    await server.as(owner).patch('/org/main', { max_members: null });
    await lapse();
    expect(await sandboxes.cleanUp.run(db)).toBe(1);
  });
});
