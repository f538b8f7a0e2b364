/** Files of a real sandbox, through the API. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';
const FIRST = `${RUNTIMES}/first`;

const server = await startTestServer({}, [], { hasSandboxes: true });
const { owner } = server;
const me = server.as(owner);
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;

const files = (path: string) => `${FIRST}/files?path=${encodeURIComponent(path)}`;
const run = async (command: string) => (await me.post(`${FIRST}/exec`, { command })).body;
const list = (path?: string) =>
  me.get(`${FIRST}/files/list${path === undefined ? '' : `?path=${encodeURIComponent(path)}`}`);

/** Uses a real connection, on which bytes are preserved. */
async function send(method: 'GET' | 'PUT', path: string, body?: Buffer | ReadableStream) {
  if (!server.app.server.listening) await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/api/v1${files(path)}`, {
    method,
    headers: { authorization: `Bearer ${owner.key}` },
    ...(body && { body, duplex: 'half' }),
  });
}

describe.skipIf(!available)('files', () => {
  beforeAll(async () => {
    expect(await me.post(RUNTIMES, { key: 'first' })).toMatchObject({ status: 201 });
    expect(await me.post(`${FIRST}/start`)).toMatchObject({ status: 200 });
  });

  test('files are returned byte for byte as they were sent', async () => {
    const bytes = randomBytes(5_000_000);
    const put = await send('PUT', 'data/räw.bin', bytes);
    expect([put.status, await put.json()]).toMatchObject([
      200,
      { name: 'räw.bin', path: 'data/räw.bin', type: 'file', size_bytes: 5_000_000, mode: '0644' },
    ]);
    const got = await send('GET', '/workspace/data/räw.bin');
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-length': '5000000',
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; .*filename\*=UTF-8''r%C3%A4w\.bin/),
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
    expect(await run('stat -c %U data/räw.bin')).toMatchObject({ stdout: 'user\n' });
  });

  test('files are replaced as a whole', async () => {
    await run('echo before > whole.txt');
    const half = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('half'));
        setTimeout(() => controller.error(new Error('broken off')), 200);
      },
    });
    await expect(send('PUT', 'whole.txt', half)).rejects.toThrow();
    expect(await run('sleep 0.3; cat whole.txt; ls -A')).toMatchObject({
      stdout: expect.stringMatching(/^before\n(data\n)?whole\.txt\n$/),
    });
    expect((await send('PUT', 'whole.txt', Buffer.from('after'))).status).toBe(200);
    expect(await run('cat whole.txt')).toMatchObject({ stdout: 'after' });
  });

  test('files are listed with their attributes', async () => {
    await run('mkdir -p l/dir && cd l && printf abc > "a b" && ln -s "a b" link && chmod 600 "a b"');
    const { body } = await list('l');
    expect(body).toMatchObject({
      is_truncated: false,
      entries: [
        { name: 'a b', path: 'l/a b', type: 'file', size_bytes: 3, mode: '0600' },
        { name: 'dir', path: 'l/dir', type: 'directory' },
        { name: 'link', path: 'l/link', type: 'symlink' },
      ],
    });
    expect((await list()).body.entries.map(({ name }: { name: string }) => name)).toContain('l');
    expect((await list('/workspace')).status).toBe(200);
  });

  test('deleting a folder requires an explicit parameter', async () => {
    await run('mkdir -p d/e && touch d/f');
    expect(await me.delete(files('d/f'))).toMatchObject({ status: 204 });
    expect((await me.delete(files('d'))).status).toBe(409);
    expect(await me.delete(`${files('d')}&recursive=true`)).toMatchObject({ status: 204 });
    expect(await run('ls -d d')).toMatchObject({ exit_code: 2 });
    expect(await me.delete(files('d/f'))).toMatchObject({ status: 404 });
  });

  test.each(['../etc/passwd', '/etc/passwd', 'a/../../etc/passwd', '/workspace/../etc/passwd', '..'])(
    'paths outside of /workspace such as %s are refused',
    async (path) => {
      for (const response of [await me.get(files(path)), await me.delete(files(path)), await list(path)])
        expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['query', 'path'] }] } });
      const put = await send('PUT', path, Buffer.from('x'));
      expect([put.status, await put.json()]).toMatchObject([422, { type: 'validation_error' }]);
    },
  );

  test('paths through a link out of /workspace are refused', async () => {
    await run('ln -sfn /etc out && ln -sfn /etc/passwd passwd && ln -sfn /proc/1/root root');
    for (const path of ['out/passwd', 'passwd', 'root/etc/passwd'])
      expect(await me.get(files(path)), path).toMatchObject({ status: 422 });
    expect(await list('out')).toMatchObject({ status: 422 });
    for (const path of ['out/new', 'root/tmp/new']) {
      const put = await send('PUT', path, Buffer.from('x'));
      expect([put.status, path]).toEqual([422, path]);
    }
  });

  test('unknown files return 404', async () => {
    expect(await me.get(files('none.txt'))).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
    expect(await list('none')).toMatchObject({ status: 404 });
    expect(await me.get(`${FIRST}/files`)).toMatchObject({ status: 422 });
    expect(await me.get(files('a\0b'))).toMatchObject({ status: 422 });
  });

  test('files are only for the owner of a running runtime', async () => {
    const member = server.as(await server.addPerson('colleague', { role: 'member' }));
    expect(await member.get(files('whole.txt'))).toMatchObject({ status: 403 });
    expect(await me.get(`${RUNTIMES}/nothing/files?path=x`)).toMatchObject({ status: 404 });
    await me.post(RUNTIMES, { key: 'idle' });
    expect(await me.get(`${RUNTIMES}/idle/files?path=x`)).toMatchObject({ status: 409 });
    await me.post(RUNTIMES, { key: 'bare', config: { sandbox: { workspace_mount: false } } });
    await me.post(`${RUNTIMES}/bare/start`);
    expect(await me.get(`${RUNTIMES}/bare/files?path=x`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/workspace_mount/) },
    });
    await me.delete(`${RUNTIMES}/bare`);
  });
});
