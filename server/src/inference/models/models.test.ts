import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
const member = server.as(await server.addPerson('member', { role: 'member' }));
const PATH = '/org/main/inference/v1/models';

const before = Math.floor(Date.now() / 1_000);
const [provider] = (
  await owner.put('/org/main/inference/providers', {
    providers: [
      {
        name: 'acme',
        kind: 'openai_compatible',
        base_url: 'https://api.acme.example/v1',
        api_key: 'sk-secret',
        models: [
          { name: 'vendor/large:free', input_price: 3, output_price: 15, cache_read_price: 0.3 },
          { name: 'small', input_price: 0.1, output_price: 0.4, max_output_tokens: 100 },
        ],
      },
    ],
  })
).body;

const entry = (id: string) => ({
  id,
  object: 'model',
  type: 'model',
  display_name: id,
  owned_by: 'acme',
  simulated: false,
});
const LARGE = {
  ...entry('acme/vendor/large:free'),
  created: Math.floor(Date.parse(provider.created_at) / 1_000),
  created_at: provider.created_at.replace(/\.\d+/, '.000'),
  input_price: 3,
  output_price: 15,
  cache_read_price: 0.3,
  cache_creation_price: 3,
  max_output_tokens: 8_192,
};
const ECHO = {
  ...entry('sim/echo'),
  created: 0,
  created_at: '1970-01-01T00:00:00.000Z',
  owned_by: 'drydock (simulated)',
  input_price: 0,
  output_price: 0,
  cache_read_price: 0,
  cache_creation_price: 0,
  max_output_tokens: 8_192,
  simulated: true,
};

const simulated = (id: string) => ({ ...ECHO, id, display_name: id });

test("listInferenceModels returns models in OpenAI's form, including simulated ones", async () => {
  expect(LARGE.created).toBeGreaterThanOrEqual(before);
  const { status, body } = await member.get(PATH);
  expect(status).toBe(200);
  const small = { input_price: 0.1, output_price: 0.4, cache_read_price: 0.1, cache_creation_price: 0.1 };
  expect(body).toEqual({
    object: 'list',
    data: [
      ECHO,
      simulated('sim/scripted'),
      simulated('sim/tool-user'),
      simulated('sim/noisy-tool-user'),
      simulated('sim/instructed'),
      simulated('sim/reflector'),
      simulated('sim/guarded'),
      simulated('sim/attacker'),
      simulated('sim/judge'),
      simulated('sim/embedder'),
      { ...LARGE, ...entry('acme/small'), ...small, max_output_tokens: 100 },
      LARGE,
    ],
    has_more: false,
    first_id: 'sim/echo',
    last_id: 'acme/vendor/large:free',
  });
});

test.each([
  ['acme/vendor/large:free', LARGE],
  ['acme%2Fvendor%2Flarge%3Afree', LARGE],
  ['acme/vendor%2Flarge:free', LARGE],
  ['sim%2Fecho', ECHO],
  ['sim/echo', ECHO],
])('getInferenceModel returns %s', async (path, model) => {
  expect(await member.get(`${PATH}/${path}`)).toMatchObject({ status: 200, body: model });
});

test.each([
  'acme',
  'acme/',
  'acme/none',
  'acme/vendor',
  'none/small',
  'sim',
  'sim/none',
  '/small',
  '',
  'ACME/small',
])('getInferenceModel returns 404 for "%s"', async (path) => {
  const response = await member.get(`${PATH}/${path}`);
  expect(response).toMatchObject({
    status: 404,
    body: { type: 'not_found_error', error: { code: 'model_not_found' } },
  });
  expect(response.body.detail).toContain('/inference/v1/models');
});

test('getInferenceModel does not return models of another organization', async () => {
  const other = await server.addPerson('other');
  await addOrganization(server, other, 'strangers');
  const stranger = server.as(other);
  const { body } = await stranger.get('/org/strangers/inference/v1/models');
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
    'sim/echo',
    'sim/scripted',
    'sim/tool-user',
    'sim/noisy-tool-user',
    'sim/instructed',
    'sim/reflector',
    'sim/guarded',
    'sim/attacker',
    'sim/judge',
    'sim/embedder',
  ]);
  expect((await stranger.get('/org/strangers/inference/v1/models/acme/small')).status).toBe(404);
  expect((await stranger.get(PATH)).status).toBe(403);
});
