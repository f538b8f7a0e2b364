import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';

const server = await startTestServer();
const member = await server.addPerson('mia', { role: 'member' });

const sets = '/org/main/task-sets';
const create = (name: string, members: unknown) => server.as(member).post(sets, { name, members });

test.each([
  'foo@^1.0.0',
  'foo@latest',
  'foo@v1.0.0',
  'foo@v1',
  'foo@1.0',
  'foo@1.x',
  'foo@>=1.0.0',
  'foo@01.0.0',
  'foo@',
  '@1.0.0',
  '',
  'Foo',
  ' foo',
  'a/b/c',
  '/foo',
  'Main/foo',
  'foo bar',
  'foo@1.0.0@2.0.0',
])('the member "%s" is refused', async (text) => {
  const response = await create('bad', ['fine', text]);
  expect(response).toMatchObject({
    status: 422,
    body: { type: 'validation_error', errors: [{ loc: ['body', 'members', 1] }] },
  });
});

test.each([
  [{ task_name: 'foo', task_version: '^1.0.0' }, [['task_version']]],
  [{ task_name: 'foo', task_version: 'latest' }, [['task_version']]],
  [{ task_name: 'foo', task_version: 'v1.0' }, [['task_version']]],
  [{ task_name: 'foo', task_version: '' }, [['task_version']]],
  [{ task_name: 'foo', task_version: 1 }, [['task_version']]],
  [{ task_name: 'foo@1.0.0' }, [['task_name']]],
  [{ task_name: 'foo@1.0.0', task_version: '1.0.0' }, [['task_name']]],
  [{ task_name: 'FOO', task_version: 'v1', notes: 5 }, [['task_name'], ['task_version'], ['notes']]],
  [{}, [['task_name']]],
  [{ task_name: null }, [['task_name']]],
  [{ task_name: 'foo', notes: 'x'.repeat(2_001) }, [['notes']]],
  [{ task_name: 'foo', notes: 'a\0b' }, [['notes']]],
  [7, [[]]],
  [null, [[]]],
  [['foo'], [[]]],
])('the member %o is refused with the location of the error', async (given, places) => {
  const response = await create('bad', ['fine', given]);
  expect(response.status).toBe(422);
  const locs = response.body.errors.map(({ loc }: { loc: unknown }) => loc);
  expect(locs).toEqual(places.map((place) => ['body', 'members', 1, ...place]));
});

test.each([
  [['foo', 'bar', 'foo'], 0],
  [['foo@1.0.0', 'bar', { task_name: 'foo', task_version: '1.0.0', notes: 'x' }], 0],
  [['main/foo', 'bar', 'foo'], 0],
  [['bar', 'foo@1.0.0', 'foo@1.0.0+build'], 1],
  [['acme/foo', 'foo', 'acme/foo'], 0],
])('the members %o are refused because they contain one task twice', async (members, first) => {
  const response = await create('twice', members);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error' } });
  expect(response.body.errors).toEqual([
    { loc: ['body', 'members', 2], msg: expect.stringContaining(`member ${first};`), type: 'duplicate' },
  ]);
});

test('the same task in several versions, and without one, counts as different members', async () => {
  const members = ['foo', 'foo@1.0.0', 'foo@1.0.0-rc.1', 'acme/foo', 'acme/foo@1.0.0'];
  expect(await create('versions', members)).toMatchObject({ status: 201, body: { member_count: 5 } });
});

test('a set keeps the order of 10,000 members, and one more is refused', async () => {
  const members = Array.from({ length: 10_000 }, (_, index) => ({
    task_name: `task-${(index * 7919) % 10_000}`,
    notes: `${index} ${'n'.repeat(400)}`,
  }));
  expect((await create('large', members)).status).toBe(201);
  const { body } = await server.as(member).get(`${sets}/large`);
  expect(body.member_count).toBe(10_000);
  expect(body.members.map((m: { task_name: string; notes: string }) => [m.task_name, m.notes])).toEqual(
    members.map(({ task_name, notes }) => [task_name, notes]),
  );
  const tooMany = await server
    .as(member)
    .put(`${sets}/large`, { members: [...members, { task_name: 'one-more' }] });
  expect(tooMany).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'members'] }] } });
  expect((await server.as(member).get(`${sets}/large`)).body.member_count).toBe(10_000);
});

test('a list of millions of members is refused by its length, before the items are validated', async () => {
  const body = `{"members": [${'7,'.repeat(5_000_000)}7]}`;
  const response = await server.as(member).put(`${sets}/large`, body);
  expect(response).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'members'] }] } });
});
