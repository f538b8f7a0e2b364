import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SECRET_KEY, startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';
import type { ChatModel } from '../platform/llm/chat-model.ts';
import { createVault } from '../platform/secrets/envelope.ts';
import { type ProviderAccess, StoredCatalog } from './catalog.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
const organizationId = await findOrganizationId(server, 'main');
const PROVIDER = {
  name: 'acme',
  kind: 'openai_compatible',
  base_url: 'https://api.acme.example/v1',
  api_key: 'key-1',
  timeout_seconds: 7,
  models: [{ name: 'vendor/large', input_price: 3, output_price: 15, cache_read_price: 0.3 }],
};
const put = (change: object = {}) =>
  owner.put('/org/main/inference/providers', { providers: [{ ...PROVIDER, ...change }] });

/** Whom it would call, and with what. */
class Line implements ChatModel {
  readonly kind: string;
  readonly access: ProviderAccess | string;
  constructor(kind: string, access: ProviderAccess | string) {
    this.kind = kind;
    this.access = access;
  }
  complete(): Promise<never> {
    return Promise.reject(new Error('Nobody is called here.'));
  }
  stream(): Promise<never> {
    return Promise.reject(new Error('Nobody is called here.'));
  }
}

const openCatalog = (secretKey = SECRET_KEY) =>
  new StoredCatalog({
    db: server.db,
    vault: createVault(secretKey),
    makers: {
      openai_compatible: (access) => new Line('openai_compatible', access),
      anthropic: (access) => new Line('anthropic', access),
      google: (access) => new Line('google', access),
      simulated: (name) => new Line('simulated', name),
    },
  });

test('a model is offered with its price, and called where its provider is, with the key', async () => {
  await put();
  const offered = await openCatalog().getModel(organizationId, 'acme/vendor/large');
  expect(offered).toEqual({
    id: 'acme/vendor/large',
    name: 'vendor/large',
    price: { input_price: 3, output_price: 15, cache_read_price: 0.3, cache_creation_price: 3 },
    maxOutputTokens: 8_192,
    isSimulated: false,
    chat: new Line('openai_compatible', {
      name: 'acme',
      baseUrl: 'https://api.acme.example/v1',
      apiKey: 'key-1',
      timeoutMs: 7_000,
      maxOutputTokens: 8_192,
    }),
  });
});

test('each kind is called in its own way', async () => {
  for (const kind of ['openai_compatible', 'anthropic', 'google']) {
    await put({ kind });
    const { chat } = await openCatalog().getModel(organizationId, 'acme/vendor/large');
    expect((chat as Line).kind).toBe(kind);
  }
});

test('a provider without a key is called without one', async () => {
  await put({ api_key: null });
  const { chat } = await openCatalog().getModel(organizationId, 'acme/vendor/large');
  expect((chat as Line).access).toMatchObject({ apiKey: undefined });
});

test.each(['acme/none', 'acme', 'none/vendor/large', 'sim/none', '', '/', 'acme/', '/vendor/large'])(
  '"%s" is not found',
  async (id) => {
    const find = async () => openCatalog().getModel(organizationId, id);
    await expect(find()).rejects.toMatchObject({ type: 'not_found_error', reason: 'model_not_found' });
  },
);

test('models are those of one organization', async () => {
  await put();
  const strangers = await addOrganization(server, server.owner, 'strangers');
  const find = async () => openCatalog().getModel(strangers, 'acme/vendor/large');
  await expect(find()).rejects.toMatchObject({ type: 'not_found_error' });
});

test('what was looked up is remembered, and for less than a second', async () => {
  await put();
  const catalog = openCatalog();
  const first = await catalog.getModel(organizationId, 'acme/vendor/large');
  expect(catalog.getModel(organizationId, 'acme/vendor/large')).toBe(first);
  await put({ api_key: 'key-2' });
  const changedAt = performance.now();
  const keyOf = async () => {
    const { chat } = await catalog.getModel(organizationId, 'acme/vendor/large');
    return (chat as Line).access;
  };
  while ((await keyOf()) === (first.chat as Line).access) await sleep(20);
  expect(performance.now() - changedAt).toBeLessThan(1_000);
  expect(await keyOf()).toMatchObject({ apiKey: 'key-2' });

  await put({ models: [] });
  catalog.forget();
  await expect(keyOf()).rejects.toMatchObject({ type: 'not_found_error' });
});

test('a key that this server cannot open is told as what it is', async () => {
  await put();
  const find = async () =>
    openCatalog('another-secret-key-another-secret-key').getModel(organizationId, 'acme/vendor/large');
  await expect(find()).rejects.toMatchObject({
    type: 'configuration_error',
    message: expect.stringContaining('provider "acme"'),
  });
});
