import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SECRET_KEY, startTestServer } from '../../../test/harness.ts';
import { createVault } from '../../platform/secrets/envelope.ts';
import { rewrapAll } from '../../platform/secrets/rewrap.ts';
import { SEALED_TABLES } from '../../sealed-tables.ts';

const server = await startTestServer();
const { db } = server;
const owner = server.as(server.owner);
const member = server.as(await server.addPerson('member', { role: 'member' }));
const organizationId: string = (await owner.get('/org/main')).body.id;
const PATH = '/org/main/inference/providers';
const KEY = 'sk-the-key-of-a-provider-1234';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const MODEL = { name: 'large', input_price: 3, output_price: 15 };
const PROVIDER = {
  name: 'acme',
  kind: 'openai_compatible',
  base_url: 'https://api.acme.example/v1',
  models: [MODEL],
};

const put = (...providers: object[]) => owner.put(PATH, { providers });
/** Puts one provider with some fields changed. */
const putOne = (change: object = {}) => put({ ...PROVIDER, ...change });

async function storedKey(): Promise<string | undefined> {
  const row = await db
    .selectFrom('inference_providers')
    .select(['key_id', 'wrapped_key', 'ciphertext'])
    .where('organization_id', '=', organizationId)
    .where('name', '=', 'acme')
    .executeTakeFirstOrThrow();
  const { key_id, wrapped_key, ciphertext } = row;
  if (!key_id || !wrapped_key || !ciphertext) return undefined;
  const place = `inference_providers/${organizationId}/acme`;
  return createVault(SECRET_KEY).open({ key_id, wrapped_key, ciphertext }, place);
}

test('replaceInferenceProviders replaces the list as a whole, and members read it without keys', async () => {
  expect(await member.get(PATH)).toMatchObject({ status: 200, body: [] });
  const google = {
    name: 'google',
    kind: 'google',
    base_url: 'https://generativelanguage.googleapis.com/v1beta/',
    timeout_seconds: 30,
    models: [
      { ...MODEL, name: 'vendor/flash:free', cache_read_price: 0.000001, max_output_tokens: 65_536 },
      { ...MODEL, name: 'embed', cache_creation_price: 0 },
    ],
  };
  const response = await put(google, { ...PROVIDER, api_key: KEY });
  expect(response.status).toBe(200);
  const caches = { cache_read_price: 3, cache_creation_price: 3 };
  expect(response.body).toEqual([
    {
      ...PROVIDER,
      has_api_key: true,
      timeout_seconds: 600,
      models: [{ id: 'acme/large', ...MODEL, ...caches, max_output_tokens: 8_192 }],
      created_at: TIME,
      updated_at: TIME,
    },
    {
      ...google,
      base_url: 'https://generativelanguage.googleapis.com/v1beta',
      has_api_key: false,
      models: [
        {
          id: 'google/embed',
          ...MODEL,
          name: 'embed',
          ...caches,
          cache_creation_price: 0,
          max_output_tokens: 8_192,
        },
        {
          id: 'google/vendor/flash:free',
          ...MODEL,
          name: 'vendor/flash:free',
          ...caches,
          cache_read_price: 0.000001,
          max_output_tokens: 65_536,
        },
      ],
      created_at: TIME,
      updated_at: TIME,
    },
  ]);
  expect(await member.get(PATH)).toMatchObject({ status: 200, body: response.body });

  // A list that was read can be sent again, and changes nothing.
  expect((await put(...response.body)).body).toEqual(response.body);
  const without = await put(response.body[0]);
  expect(without.body).toEqual([response.body[0]]);
  expect((await put()).body).toEqual([]);
  const left = await sql`SELECT name FROM inference_models /* of every organization */`.execute(db);
  expect(left.rows).toEqual([]);
});

test('replaceInferenceProviders is refused for callers who are not admins', async () => {
  expect(await member.put(PATH, { providers: [] })).toMatchObject({
    status: 403,
    body: { type: 'forbidden_error' },
  });
});

test('replaceInferenceProviders encrypts a key, keeps it when omitted, and removes it for null', async () => {
  await put();
  await putOne({ api_key: KEY });
  expect(await storedKey()).toBe(KEY);
  expect((await putOne({ timeout_seconds: 5 })).body).toMatchObject([
    { has_api_key: true, timeout_seconds: 5 },
  ]);
  expect(await storedKey()).toBe(KEY);
  // Another path of the same origin keeps the key.
  expect((await putOne({ base_url: 'https://api.acme.example/v2' })).status).toBe(200);
  expect(await storedKey()).toBe(KEY);
  await putOne({ api_key: 'another-key' });
  expect(await storedKey()).toBe('another-key');
  expect((await putOne({ api_key: null })).body).toMatchObject([{ has_api_key: false }]);
  expect(await storedKey()).toBeUndefined();
  // A removed key does not come back with the provider's name.
  await putOne({ api_key: KEY });
  await put();
  expect((await putOne()).body).toMatchObject([{ has_api_key: false }]);
});

test.each([
  { base_url: 'https://api.evil.example/v1' },
  { base_url: 'http://api.acme.example/v1' },
  { base_url: 'https://api.acme.example:8443/v1' },
  { kind: 'anthropic' },
])(
  'replaceInferenceProviders demands the key again when the provider moves to another origin: %j',
  async (change) => {
    await put();
    await putOne({ api_key: KEY });
    expect(await putOne(change)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'providers', 0, 'api_key'] }] },
    });
    expect((await owner.get(PATH)).body).toMatchObject([PROVIDER]);
    expect((await putOne({ ...change, api_key: null })).body).toMatchObject([
      { ...change, has_api_key: false },
    ]);
  },
);

test('keys are in no response, row or audit entry, and each change of a provider has an audit entry', async () => {
  await put();
  const putAudited = (change: object = {}) => putOne({ name: 'audited', ...change });
  const responses = [
    await putAudited({ api_key: KEY }),
    await putAudited(),
    await putAudited({ api_key: `${KEY}5`, models: [MODEL, { ...MODEL, name: 'small' }] }),
    await putAudited({ api_key: `${KEY} ` }),
    await putAudited({ api_key: KEY, kind: 'none' }),
    await owner.get(PATH),
    await put(),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 422, 422, 200, 200]);
  expect(JSON.stringify(responses)).not.toContain(KEY);
  const log = (await owner.get('/org/main/audit-log?limit=100')).body.items;
  expect(JSON.stringify(log)).not.toContain(KEY);
  const resource = 'inference_providers/audited';
  const items = log.filter((entry: { resource: string }) => entry.resource === resource);
  const large = 'large: input 3, output 15, cache read 3, cache creation 3, at most 8192 tokens';
  const small = large.replace('large', 'small');
  const values = { kind: PROVIDER.kind, base_url: PROVIDER.base_url, timeout_seconds: 600 };
  expect(items.toReversed()).toMatchObject([
    {
      action: 'inference_provider.created',
      resource,
      before: null,
      after: { ...values, models: [large], is_keyed: true, is_key_replaced: false },
    },
    {
      action: 'inference_provider.updated',
      before: { ...values, models: [], is_keyed: true },
      after: { ...values, models: [small], is_keyed: true, is_key_replaced: true },
    },
    {
      action: 'inference_provider.deleted',
      before: { ...values, models: [large, small], is_keyed: true },
      after: null,
    },
  ]);
});

test('a key can be decrypted with the next secret key after a rotation', async () => {
  await put();
  await putOne({ api_key: KEY });
  const next = 'the-next-secret-key-the-next-secret-key';
  expect(await rewrapAll(db, createVault(next, SECRET_KEY), SEALED_TABLES)).toEqual({
    rewrapped: 1,
    left: 0,
  });
  await expect(storedKey()).rejects.toThrow('another DRYDOCK_SECRET_KEY');
  expect(await rewrapAll(db, createVault(SECRET_KEY, next), SEALED_TABLES)).toEqual({
    rewrapped: 1,
    left: 0,
  });
  expect(await storedKey()).toBe(KEY);
});

test('replaceInferenceProviders called concurrently leaves one of the lists', async () => {
  await put();
  const lists = Array.from({ length: 12 }, (_, n) =>
    Array.from({ length: 4 }, (_, index) => ({
      ...PROVIDER,
      name: `p${(n + index) % 6}`,
      timeout_seconds: n + 1,
      api_key: `key-${n}`,
      models: [{ ...MODEL, name: `m${n}` }],
    })),
  );
  const responses = await Promise.all(lists.map((list) => put(...list)));
  expect(responses.map(({ status }) => status)).toEqual(lists.map(() => 200));
  const { body } = await owner.get(PATH);
  const seen = body.map(({ name, timeout_seconds, models }: Record<string, unknown>) => ({
    name,
    timeout_seconds,
    models,
  }));
  expect(seen).toHaveLength(4);
  const n = seen[0].timeout_seconds - 1;
  expect(seen.map(({ name }: { name: string }) => name)).toEqual(
    lists[n]?.map(({ name }) => name).toSorted(),
  );
  for (const one of seen) expect(one).toMatchObject({ timeout_seconds: n + 1, models: [{ name: `m${n}` }] });
  await put();
});

test.each([
  ['no list', {}, ['body', 'providers']],
  [
    'too many providers',
    { providers: Array.from({ length: 51 }, (_, n) => ({ ...PROVIDER, name: `p${n}` })) },
    ['body', 'providers'],
  ],
  ['a name twice', { providers: [PROVIDER, PROVIDER] }, ['body', 'providers', 1, 'name']],
])('replaceInferenceProviders refuses a list with %s', async (_name, body, loc) => {
  expect(await owner.put(PATH, body)).toMatchObject({ status: 422, body: { errors: [{ loc }] } });
});

test.each<[object, (string | number)[]]>([
  [{ name: 'sim' }, ['name']],
  [{ name: 'with/slash' }, ['name']],
  [{ name: 'Upper' }, ['name']],
  [{ name: '' }, ['name']],
  [{ kind: 'openai' }, ['kind']],
  [{ api_key: '' }, ['api_key']],
  [{ api_key: 'with\nline' }, ['api_key']],
  [{ api_key: 'schlüssel' }, ['api_key']],
  [{ api_key: 'x'.repeat(4_097) }, ['api_key']],
  [{ timeout_seconds: 0 }, ['timeout_seconds']],
  [{ timeout_seconds: 3_601 }, ['timeout_seconds']],
  [{ timeout_seconds: 1.5 }, ['timeout_seconds']],
  [{ models: undefined }, ['models']],
  [{ models: [MODEL, MODEL] }, ['models', 1, 'name']],
  [{ models: [{ ...MODEL, name: '' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, name: '../up' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, name: 'a//b' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, name: 'a/../b' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, name: 'a/' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, name: 'a?b' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, name: 'a b' }] }, ['models', 0, 'name']],
  [{ models: [{ ...MODEL, input_price: -0.1 }] }, ['models', 0, 'input_price']],
  [{ models: [{ ...MODEL, input_price: 0.0000001 }] }, ['models', 0, 'input_price']],
  [{ models: [{ ...MODEL, output_price: '1' }] }, ['models', 0, 'output_price']],
  [{ models: [{ ...MODEL, output_price: 1e7 }] }, ['models', 0, 'output_price']],
  [{ models: [{ ...MODEL, cache_read_price: -1 }] }, ['models', 0, 'cache_read_price']],
  [{ models: [{ name: 'large', input_price: 1 }] }, ['models', 0, 'output_price']],
  [{ models: [{ ...MODEL, max_output_tokens: 0 }] }, ['models', 0, 'max_output_tokens']],
  [{ models: Array.from({ length: 501 }, (_, n) => ({ ...MODEL, name: `m${n}` })) }, ['models']],
])('replaceInferenceProviders refuses invalid provider %#', async (change, rest) => {
  const response = await put({ ...PROVIDER, name: 'first' }, { ...PROVIDER, ...change });
  expect(response).toMatchObject({
    status: 422,
    body: { type: 'validation_error', errors: [{ loc: ['body', 'providers', 1, ...rest] }] },
  });
});

test('replaceInferenceProviders refuses a price that is not a finite number', async () => {
  const body = JSON.stringify({ providers: [PROVIDER] }).replace('"input_price":3', '"input_price":1e999');
  expect((await owner.put(PATH, body)).status).toBe(422);
});

test('replaceInferenceProviders accepts the maximum number of providers and models', async () => {
  const models = Array.from({ length: 500 }, (_, n) => ({ ...MODEL, name: `model-${n}` }));
  const providers = Array.from({ length: 50 }, (_, n) => ({ ...PROVIDER, name: `p${n}`, models }));
  const response = await put(...providers);
  expect(response.status).toBe(200);
  expect(response.body.flatMap((provider: { models: unknown[] }) => provider.models)).toHaveLength(25_000);
  await put();
});
