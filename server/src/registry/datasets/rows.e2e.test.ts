import { expect, test } from 'vitest';
import { bundle } from '../../../test/bundles.ts';
import { type Person, startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const { app, owner, as } = server;

/** Adds version 1.0.0, in which each file is a split of the same name. */
async function add(name: string, files: Record<string, string>, isPublic = false): Promise<void> {
  const splits = Object.fromEntries(Object.keys(files).map((path) => [path.replace(/\..*/, ''), path]));
  const body = bundle({ 'dataset.yaml': JSON.stringify({ splits }), ...files });
  expect((await as(owner).put(`/org/main/datasets/${name}/1.0.0`, body)).status).toBe(201);
  if (isPublic) await as(owner).patch(`/org/main/datasets/${name}/visibility`, { is_public: true });
}

const HUNDREDS = Array.from({ length: 250 }, (_, id) => `{"id":${id},"text":"Row ${id} ÄÖ"}\n`).join('');
await add('one', { 'train.jsonl': HUNDREDS });
await add('two', {
  'train.csv': 'a,b\n1,x\n2,y\n',
  'test.jsonl': '{"a":{"b":[9007199254740993,1e400,0.1]},"c":null,"__proto__":5}\n',
});
await add('open', { 'data.jsonl': '{"a":1}\n' }, true);

test('rows are returned in the order of the file, with columns and row numbers', async () => {
  const answer = await as(owner).get('/org/main/datasets/one/1.0.0/rows?offset=120&limit=2');
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body).toEqual({
    columns: [
      { name: 'id', type: 'BIGINT' },
      { name: 'text', type: 'VARCHAR' },
    ],
    rows: [
      { id: 120, text: 'Row 120 ÄÖ' },
      { id: 121, text: 'Row 121 ÄÖ' },
    ],
    total: 250,
  });
  const { body: first } = await as(owner).get('/org/main/datasets/one/1.0.0/rows');
  expect(first.rows.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 50 }, (_, id) => id));
  const { body: beyond } = await as(owner).get('/org/main/datasets/one/1.0.0/rows?offset=250&limit=100');
  expect(beyond).toMatchObject({ rows: [], total: 250 });
});

test('a search matches any part of any column, regardless of case', async () => {
  const search = async (text: string) => {
    const { body } = await as(owner).get(
      `/org/main/datasets/one/1.0.0/rows?limit=2&search=${encodeURIComponent(text)}`,
    );
    return [body.total, body.rows.map(({ id }: { id: number }) => id)];
  };
  expect(await search('row 24')).toEqual([11, [24, 240]]);
  expect(await search('9 äö')).toEqual([25, [9, 19]]);
  expect(await search('%')).toEqual([0, []]);
  expect(await search('')).toEqual([250, [0, 1]]);
});

test('numbers are returned with all digits', async () => {
  const response = await app.inject({
    url: '/api/v1/org/main/datasets/two/1.0.0/rows?split=test',
    headers: { authorization: `Bearer ${owner.key}` },
  });
  expect(response.body).toBe(
    '{"columns":[{"name":"a","type":"STRUCT(b JSON[])"},{"name":"c","type":"JSON"},{"name":"__proto__","type":"BIGINT"}],' +
      '"rows":[{"a":{"b":[9007199254740993,1e400,0.1]},"c":null,"__proto__":5}],"total":1}',
  );
});

test('many rows pass through unparsed, and a page that is too large is refused', async () => {
  const list = Array.from({ length: 12_000 }, (_, index) => index).join(',');
  const row = `{"id":9007199254740993,"\\\\":1,"a\\"b":2,"list":[${list}]}`;
  const { length } = row;
  const wide = `{"text":"${'x'.repeat(3 * 1024 ** 2)}"}\n`;
  await add('large', { 'many.jsonl': `${row}\n`.repeat(110), 'wide.jsonl': wide.repeat(3) });
  const get = (query: string) =>
    app.inject({
      url: `/api/v1/org/main/datasets/large/1.0.0/rows?${query}`,
      headers: { authorization: `Bearer ${owner.key}` },
    });
  let [body, least] = ['', Number.POSITIVE_INFINITY];
  for (let round = 0; round < 3; round += 1) {
    const before = process.threadCpuUsage();
    ({ body } = await get('split=many&limit=100'));
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  expect(body.length).toBeGreaterThan(100 * length);
  expect(body.length).toBeGreaterThan(6e6);
  // Milliseconds for which the event loop, which all requests share, was blocked.
  expect(least).toBeLessThan(200);
  expect(body.endsWith(`,${row}],"total":110}`)).toBe(true);
  const refused = await get('split=wide');
  expect(refused.statusCode).toBe(422);
  expect(refused.json().errors).toEqual([
    {
      loc: ['query', 'limit'],
      msg: 'wide.jsonl has rows of more than 8 MiB there; ask for fewer rows at once, or download it',
      type: 'invalid_value',
    },
  ]);
});

test.each([
  ['', ['query', 'split'], 'must be one of "train", "test"'],
  ['?split=other', ['query', 'split'], 'must be one of "train", "test"'],
  ['?split=train&offset=-1', ['query', 'offset'], expect.any(String)],
  ['?split=train&limit=101', ['query', 'limit'], expect.any(String)],
  ['?split=train&limit=0', ['query', 'limit'], expect.any(String)],
  [`?split=train&search=${'x'.repeat(501)}`, ['query', 'search'], expect.any(String)],
])('rows with %j are refused', async (query, loc, msg) => {
  const { status, body } = await as(owner).get(`/org/main/datasets/two/1.0.0/rows${query}`);
  expect(status).toBe(422);
  expect(body.errors).toEqual([{ loc, msg, type: expect.any(String) }]);
});

test('rows are visible to members, and to others when the dataset is public', async () => {
  const member = await server.addPerson('member', { role: 'member', scopes: ['datasets:read'] });
  const stranger = await server.addPerson('stranger');
  const wrong = await server.addPerson('wrong', { role: 'member', scopes: ['models:read'] });
  const rows = (person: Person, name: string, version = '1.0.0') =>
    as(person).get(`/org/main/datasets/${name}/${version}/rows?split=data`);
  expect((await rows(member, 'open')).body).toMatchObject({ rows: [{ a: 1 }], total: 1 });
  expect((await rows(stranger, 'open')).body).toMatchObject({ rows: [{ a: 1 }], total: 1 });
  expect((await rows(wrong, 'open')).status).toBe(403);
  const hidden = await rows(stranger, 'one');
  expect(hidden.status).toBe(404);
  expect((await rows(stranger, 'none')).body.detail).toBe(hidden.body.detail.replace('one@', 'none@'));
  expect((await rows(member, 'open', '2.0.0')).status).toBe(404);
  expect((await rows(member, 'open', 'v1')).status).toBe(422);
});
