/** Tasks as engines use them: resolved by reference, with their files, and published from code. */
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { atEndOfFile } from '../../test/end-of-file.ts';
import { startTestServer } from '../../test/harness.ts';
import { scopeOf } from '../accounts/service.ts';
import { openLocalFiles } from '../platform/analytics/local-files.ts';
import { getTask, publishVersion, readFiles } from './service.ts';

const server = await startTestServer();
const { db, storage, owner } = server;
const client = server.as(owner);
const { body: workspace } = await client.get('/org/main/ws/main');
const place = { organizationId: String(workspace.org_id), workspaceId: String(workspace.id) };
const scope = await scopeOf(db, place, owner.id, 'job-1');
const local = await openLocalFiles();
atEndOfFile(() => local.close());
const { signal } = new AbortController();

const taskFiles = (name: string, version: string, more = '') => [
  {
    path: 'task.yaml',
    content: `name: ${name}\nversion: ${version}\ninstruction: Say hello.\nverification: { method: script, script: check.sh }\n${more}`,
  },
  { path: 'check.sh', content: Buffer.from('grep -q hello "$DRYDOCK_ANSWER_FILE"\n') },
];
const publish = (name: string, version: string, more?: string) =>
  publishVersion(
    { db, storage, local },
    async () => scope,
    { kind: 'task', name, version, files: taskFiles(name, version, more) },
    signal,
  );

test('publishVersion stores a version that every operation sees, and a repeated call changes nothing', async () => {
  expect(await publish('hello', '1.0.0')).toBe(true);
  expect(await publish('hello', '1.0.0')).toBe(false);
  expect(await client.get('/org/main/tasks/hello/1.0.0')).toMatchObject({
    status: 200,
    body: { name: 'main/hello', version: '1.0.0' },
  });
});

test('publishVersion refuses other content under the same version, and an invalid manifest', async () => {
  await publish('taken', '1.0.0');
  await expect(publish('taken', '1.0.0', 'difficulty: hard\n')).rejects.toMatchObject({
    type: 'already_exists_error',
  });
  await expect(publish('broken', '1.0.0', 'timeout_seconds: soon\n')).rejects.toMatchObject({
    type: 'validation_error',
  });
  expect((await client.get('/org/main/tasks/broken')).status).toBe(404);
});

const publishAs = (getScope: () => Promise<typeof scope>, files: ReturnType<typeof taskFiles>) =>
  publishVersion(
    { db, storage, local },
    getScope,
    { kind: 'task', name: 'alien', version: '1.0.0', files },
    signal,
  );

test('publishVersion fails for a user who loses permission while it runs', async () => {
  const person = await server.addPerson('leaving', { role: 'member' });
  let asked = 0;
  const getScope = async () => {
    if (asked++ === 1) await client.delete(`/org/main/members/${person.id}`);
    return scopeOf(db, place, person.id, 'job-1');
  };
  await expect(publishAs(getScope, taskFiles('alien', '1.0.0'))).rejects.toMatchObject({
    type: 'forbidden_error',
  });
  expect((await client.get('/org/main/tasks/alien')).status).toBe(404);
});

test.each(['../../tmp/evil', '/tmp/evil', '', 'check.sh', 'check.sh/more', 'a\0b'])(
  'publishVersion refuses a file at %j',
  async (path) => {
    const files = [...taskFiles('alien', '1.0.0'), { path, content: Buffer.from('x') }];
    await expect(publishAs(async () => scope, files)).rejects.toMatchObject({ type: 'validation_error' });
  },
);

test('getTask resolves the newest release or a pinned version, with its details', async () => {
  await publish('versions', '1.0.0');
  await publish('versions', '1.1.0', 'timeout_seconds: 30\n');
  const newest = await getTask(db, scope, 'versions');
  expect(newest).toMatchObject({
    name: 'versions',
    version: '1.1.0',
    details: {
      instruction: 'Say hello.',
      timeout_seconds: 30,
      verification: { method: 'script', script: 'check.sh' },
    },
  });
  expect(await getTask(db, scope, 'versions', '1.0.0')).toMatchObject({ version: '1.0.0' });
  await expect(getTask(db, scope, 'versions', '9.9.9')).rejects.toMatchObject({ status: 404 });
  await expect(getTask(db, scope, 'no-such-task')).rejects.toThrow('Task "no-such-task" was not found.');
});

test('readFiles reads the files of a task from getTask', async () => {
  await publish('files', '1.0.0');
  const read: Record<string, string> = {};
  for await (const { path, content } of readFiles(db, storage, await getTask(db, scope, 'files')))
    read[path] = String(await buffer(content));
  expect(Object.keys(read)).toEqual(['check.sh', 'task.yaml']);
  expect(read['check.sh']).toContain('grep -q hello');
});
