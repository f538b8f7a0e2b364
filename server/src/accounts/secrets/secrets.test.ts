import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { createVault } from '../../platform/secrets/envelope.ts';

const server = await startTestServer();
const { db } = server;
const ann = await server.addPerson('ann');
const ben = await server.addPerson('ben');
const VALUE = 'sk-the-value-of-the-secret-1234';
const NOT_FOUND = { status: 404, body: { code: 404, type: 'not_found_error' } };
const TAKEN = { status: 409, body: { code: 409, type: 'already_exists_error' } };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function createSecret(name: string, value = VALUE) {
  const response = await server.as(ann).post('/user/secrets', { name, value });
  expect(response.status).toBe(201);
  return response.body;
}

test('a secret is stored, read without its value, replaced and deleted', async () => {
  const created = await server.as(ann).post('/user/secrets', { name: 'API_TOKEN', value: VALUE });
  const path = `/user/secrets/${created.body.id}`;
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.any(String),
    name: 'API_TOKEN',
    masked_value: '…1234',
    created_at: TIME,
    updated_at: TIME,
  });
  expect(await server.as(ann).get(path)).toMatchObject({ status: 200, body: created.body });

  const replaced = await server.as(ann).put(path, { value: 'another value that ends in 5678' });
  expect(replaced.status).toBe(200);
  expect(replaced.body).toEqual({ ...created.body, masked_value: '…5678', updated_at: TIME });
  expect(Date.parse(replaced.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(created.body.updated_at));
  expect(await server.as(ann).delete(path)).toMatchObject({ status: 204, body: '' });
  for (const response of [
    await server.as(ann).get(path),
    await server.as(ann).put(path, { value: 'x' }),
    await server.as(ann).delete(path),
  ]) {
    expect(response).toMatchObject(NOT_FOUND);
  }
});

test('no response and no row contains the value, but the vault can decrypt it', async () => {
  const created = await createSecret('HIDDEN');
  const path = `/user/secrets/${created.id}`;
  const responses = [
    created,
    await server.as(ann).get('/user/secrets'),
    await server.as(ann).get(path),
    await server.as(ann).put(path, { value: VALUE }),
    await server.as(ann).post('/user/secrets', { name: 'HIDDEN', value: VALUE }),
    await server.as(ann).post('/user/secrets', { name: 'not a name', value: VALUE }),
  ];
  expect(JSON.stringify(responses)).not.toContain(VALUE);

  const secrets = db.selectFrom('user_secrets').selectAll();
  const row = await secrets.where('id', '=', created.id).executeTakeFirstOrThrow();
  for (const stored of Object.values(row)) expect(Buffer.from(stored).includes(VALUE)).toBe(false);
  expect(createVault(SECRET_KEY).open(row, row.id)).toBe(VALUE);

  const { rows } = await sql`SELECT a::text FROM account_audit_log a WHERE user_id = ${ann.id}`.execute(db);
  expect(JSON.stringify(rows)).toContain('secret.replaced');
  expect(JSON.stringify(rows)).not.toContain(VALUE);
});

test('encrypting the same value gives a different result each time', async () => {
  const [one, two] = [await createSecret('SAME_ONE'), await createSecret('SAME_TWO')];
  const rows = await db
    .selectFrom('user_secrets')
    .select('ciphertext')
    .where('id', 'in', [one.id, two.id])
    .execute();
  expect(rows).toHaveLength(2);
  expect(rows[0]?.ciphertext.equals(rows[1]?.ciphertext ?? Buffer.of())).toBe(false);
});

test('a replaced secret has the new value', async () => {
  const { id } = await createSecret('ROTATED');
  await server.as(ann).put(`/user/secrets/${id}`, { value: 'the next value' });
  const row = await db.selectFrom('user_secrets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(createVault(SECRET_KEY).open(row, id)).toBe('the next value');
});

test.each([
  ['short', '…'],
  ['fifteen letters', '…'],
  ['sixteen letters!', '…ers!'],
])('the value %j is masked as %j', async (value, masked) => {
  expect((await createSecret(`MASK_${value.length}`, value)).masked_value).toBe(masked);
});

test('a secret name is unique per user', async () => {
  const first = await createSecret('TAKEN');
  const second = await createSecret('FREE');
  expect(await server.as(ann).post('/user/secrets', { name: 'TAKEN', value: 'x' })).toMatchObject(TAKEN);
  const rename = (name: string) => server.as(ann).put(`/user/secrets/${second.id}`, { name, value: 'x' });
  expect(await rename('TAKEN')).toMatchObject(TAKEN);
  expect(await rename('RENAMED')).toMatchObject({ status: 200, body: { id: second.id, name: 'RENAMED' } });
  expect((await server.as(ben).post('/user/secrets', { name: 'TAKEN', value: 'x' })).status).toBe(201);
  expect((await server.as(ann).get(`/user/secrets/${first.id}`)).body).toEqual(first);
});

test.each(['A', '_', 'a1_B2', 'X'.repeat(128)])('the secret name %j is accepted', async (name) => {
  expect((await createSecret(name)).name).toBe(name);
});

test.each([
  [{ name: '', value: 'x' }, ['body', 'name']],
  [{ name: '1ST', value: 'x' }, ['body', 'name']],
  [{ name: 'WITH-DASH', value: 'x' }, ['body', 'name']],
  [{ name: 'WITH SPACE', value: 'x' }, ['body', 'name']],
  [{ name: 'X'.repeat(129), value: 'x' }, ['body', 'name']],
  [{ value: 'x' }, ['body', 'name']],
  [{ name: 'EMPTY', value: '' }, ['body', 'value']],
  [{ name: 'NONE' }, ['body', 'value']],
  [{ name: 'NUMBER', value: 1 }, ['body', 'value']],
  [{ name: 'LONG', value: 'x'.repeat(65_537) }, ['body', 'value']],
])('invalid secret number %# is refused', async (request, loc) => {
  const response = await server.as(ann).post('/user/secrets', request);
  expect(response).toMatchObject({ status: 422, body: { type: 'validation_error', errors: [{ loc }] } });
});

test('a value may be long and contain any text', async () => {
  const value = `${'ä'.repeat(65_530)}\n"\t🔑`;
  const { id } = await createSecret('LONG_TEXT', value);
  const row = await db.selectFrom('user_secrets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(createVault(SECRET_KEY).open(row, id)).toBe(value);
});

test('a secret of another user returns the same 404 as an unknown one', async () => {
  const { id } = await createSecret('PRIVATE');
  const ask = async (secret: string) => [
    await server.as(ben).get(`/user/secrets/${secret}`),
    await server.as(ben).put(`/user/secrets/${secret}`, { value: 'stolen' }),
    await server.as(ben).delete(`/user/secrets/${secret}`),
  ];
  const foreign = await ask(id);
  const unknown = await ask('00000000-0000-0000-0000-000000000000');
  for (const response of foreign) expect(response).toMatchObject(NOT_FOUND);
  expect(foreign.map(({ body }) => body)).toEqual(unknown.map(({ body }) => body));
  const listed = await server.as(ben).get('/user/secrets');
  expect(JSON.stringify(listed.body)).not.toContain(id);
  expect((await server.as(ann).get(`/user/secrets/${id}`)).body.masked_value).toBe('…1234');
});

test('listSecrets returns only the secrets of the caller, by name, in pages', async () => {
  const cleo = await server.addPerson('cleo');
  expect((await server.as(cleo).get('/user/secrets')).body).toMatchObject({ secrets: [], total: 0 });
  for (const name of ['ZULU', 'ALPHA', 'MIKE']) {
    await server.as(cleo).post('/user/secrets', { name, value: 'x' });
  }
  expect((await server.as(cleo).get('/user/secrets')).body).toMatchObject({
    secrets: [{ name: 'ALPHA' }, { name: 'MIKE' }, { name: 'ZULU' }],
    total: 3,
    has_next: false,
  });
  expect((await server.as(cleo).get('/user/secrets?limit=2&page=2')).body).toMatchObject({
    secrets: [{ name: 'ZULU' }],
    total: 3,
    has_next: false,
    has_previous: true,
  });
});
