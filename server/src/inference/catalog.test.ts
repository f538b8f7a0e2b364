import { afterAll, expect, test } from 'vitest';
import { SECRET_KEY, startTestServer } from '../../test/harness.ts';
import { type RecordedRequest, stalls, startModelProvider } from '../../test/model-provider.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';
import { ownRoom } from '../../test/response-room.ts';
import { GuardedClient } from '../platform/net/guarded-client.ts';
import { createVault } from '../platform/secrets/envelope.ts';
import { makersOn, StoredCatalog } from './catalog.ts';
import type { OfferedModel } from './offered-model.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' });
const owner = server.as(server.owner);
const organizationId = await findOrganizationId(server, 'main');
const provider = await startModelProvider();
const client = new GuardedClient({ isReachable: () => true });
afterAll(async () => {
  client.close();
  await provider.close();
});

const PROVIDER = {
  name: 'acme',
  kind: 'openai_compatible',
  base_url: provider.baseUrl,
  api_key: 'key-1',
  timeout_seconds: 7,
  models: [{ name: 'vendor/large', input_price: 3, output_price: 15, cache_read_price: 0.3 }],
};
const put = (change: object = {}) =>
  owner.put('/org/main/inference/providers', { providers: [{ ...PROVIDER, ...change }] });

const openCatalog = (secretKey = SECRET_KEY) =>
  new StoredCatalog({ db: server.db, vault: createVault(secretKey), makers: makersOn(client) });

const call = ({ id, name, chat }: OfferedModel) =>
  chat.complete({
    id: 'chatcmpl-1',
    request: { model: name, messages: [{ role: 'user', content: 'Hi' }] },
    model: id,
    signal: new AbortController().signal,
    retryCount: 0,
    room: ownRoom(),
  });

/** Returns the request that the provider receives, whatever the result of the call. */
async function sentBy(model: OfferedModel): Promise<RecordedRequest> {
  const before = provider.requests.length;
  await call(model).catch(() => undefined);
  const [sent] = provider.requests.slice(before);
  if (!sent) throw new Error('the provider received no request');
  return sent;
}

test('catalog offers a model with its price, and calls its provider with the key', async () => {
  await put();
  const offered = await openCatalog().getModel(organizationId, 'acme/vendor/large');
  expect(offered).toMatchObject({
    id: 'acme/vendor/large',
    name: 'vendor/large',
    price: { input_price: 3, output_price: 15, cache_read_price: 0.3, cache_creation_price: 3 },
    maxOutputTokens: 8_192,
    isSimulated: false,
  });
  expect(await call(offered)).toMatchObject({ usage: { inputTokens: expect.any(Number) } });
  expect(await sentBy(offered)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer key-1' },
    body: { model: 'vendor/large' },
  });
});

test.each([
  ['openai_compatible', /^\/v1\/chat\/completions$/, 'authorization', 'Bearer key-1', {}],
  // Anthropic requires a limit, which is taken from the model.
  ['anthropic', /^\/v1\/messages$/, 'x-api-key', 'key-1', { max_tokens: 8_192 }],
  ['google', /^\/v1\/.*vendor.*large:generateContent$/, 'x-goog-api-key', 'key-1', {}],
])('catalog calls a provider of kind %s through its own API', async (kind, path, header, key, body) => {
  await put({ kind });
  const sent = await sentBy(await openCatalog().getModel(organizationId, 'acme/vendor/large'));
  expect(sent).toMatchObject({ path: expect.stringMatching(path), headers: { [header]: key }, body });
});

test('catalog applies the timeout of the provider', async () => {
  await put({ timeout_seconds: 1 });
  provider.next(stalls());
  const offered = await openCatalog().getModel(organizationId, 'acme/vendor/large');
  await expect(call(offered)).rejects.toMatchObject({
    type: 'gateway_timeout_error',
    message: expect.stringMatching(/did not begin to respond within (1|0\.\d+) s/),
  });
});

test('catalog calls a provider without a key without credentials', async () => {
  await put({ api_key: null });
  const { headers } = await sentBy(await openCatalog().getModel(organizationId, 'acme/vendor/large'));
  expect(headers).not.toHaveProperty('authorization');
});

test.each(['acme/none', 'acme', 'none/vendor/large', 'sim/none', '', '/', 'acme/', '/vendor/large'])(
  'catalog reports the model "%s" as not found',
  async (id) => {
    const find = async () => openCatalog().getModel(organizationId, id);
    await expect(find()).rejects.toMatchObject({ type: 'not_found_error', reason: 'model_not_found' });
  },
);

test('catalog separates the models of organizations', async () => {
  await put();
  const strangers = await addOrganization(server, server.owner, 'strangers');
  const find = async () => openCatalog().getModel(strangers, 'acme/vendor/large');
  await expect(find()).rejects.toMatchObject({ type: 'not_found_error' });
});

test('catalog caches lookups for less than a second', async () => {
  await put();
  const catalog = openCatalog();
  const find = async () => catalog.getModel(organizationId, 'acme/vendor/large');
  // The entry may expire between the two calls on a busy machine.
  await expect
    .poll(async () => (await find()) === catalog.getModel(organizationId, 'acme/vendor/large'))
    .toBe(true);
  const first = await find();
  await put({ api_key: 'key-2' });
  await expect.poll(async () => (await find()) === first).toBe(false);
  expect((await sentBy(await find())).headers.authorization).toBe('Bearer key-2');

  await put({ models: [] });
  catalog.forget();
  await expect(find()).rejects.toMatchObject({ type: 'not_found_error' });
});

test('catalog reports a provider key that this server cannot decrypt', async () => {
  await put();
  const find = async () =>
    openCatalog('another-secret-key-another-secret-key').getModel(organizationId, 'acme/vendor/large');
  await expect(find()).rejects.toMatchObject({
    type: 'configuration_error',
    message: expect.stringContaining('provider "acme"'),
  });
});
