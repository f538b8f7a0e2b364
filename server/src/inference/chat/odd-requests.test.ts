/** Malicious requests and responses, sent through the public API. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { answers, fails, sends, startModelProvider } from '../../../test/model-provider.ts';
import { addOrganization } from '../../../test/other-organization.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' });
const provider = await startModelProvider();
afterAll(() => provider.close());
beforeEach(() => provider.always(answers()));

const owner = server.as(server.owner);
const PROVIDERS = '/org/main/inference/providers';
const PATH = '/org/main/inference/v1/chat/completions';
const models = ['plain', 'vendor/deep/name:free', 'a@b~c+d'].map((name) => ({
  name,
  input_price: 1,
  output_price: 1,
}));
const local = { name: 'local', kind: 'openai_compatible', base_url: provider.baseUrl, models };
const translated = [
  { ...local, name: 'anthropic', kind: 'anthropic' },
  { ...local, name: 'google', kind: 'google' },
];
expect((await owner.put(PROVIDERS, { providers: [local, ...translated] })).status).toBe(200);

const messages = [{ role: 'user', content: 'Hi' }];
const model = 'local/plain';
const lastRequest = () => provider.requests.at(-1);

describe('model ids', () => {
  test.each(['local/vendor/deep/name:free', 'local/a@b~c+d'])(
    '%s can be called and looked up',
    async (id) => {
      expect((await owner.post(PATH, { model: id, messages })).status).toBe(200);
      expect(lastRequest()?.body.model).toBe(id.slice('local/'.length));
      const paths = [id, encodeURIComponent(id), id.replaceAll('/', '%2f')];
      for (const path of paths)
        expect(await owner.get(`/org/main/inference/v1/models/${path}`)).toMatchObject({
          status: 200,
          body: { id, owned_by: 'local' },
        });
    },
  );

  test.each(['local/plain ', 'LOCAL/plain', 'local//plain', 'local/plain/', 'local/pláin', 'local/%70lain'])(
    '%s is not an alias of a model',
    async (id) => {
      const refusal = { status: 404, body: { error: { code: 'model_not_found' } } };
      expect(await owner.post(PATH, { model: id, messages })).toMatchObject(refusal);
      const path = `/org/main/inference/v1/models/${encodeURIComponent(id)}`;
      expect(await owner.get(path)).toMatchObject(refusal);
    },
  );

  test.each(['local/\0', 'local/\ud800'])('%j is refused as invalid', async (id) => {
    expect(await owner.post(PATH, { model: id, messages })).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'model'] }], error: { param: 'model' } },
    });
  });

  test('NUL in a path is refused', async () => {
    expect(await owner.get('/org/main/inference/v1/models/local%2F%00')).toMatchObject({
      status: 422,
      body: { error: { type: 'invalid_request_error' } },
    });
  });

  test('models of another organization are not found', async () => {
    const other = await server.addPerson('other');
    await addOrganization(server, other, 'elsewhere');
    const refusal = { status: 404, body: { error: { code: 'model_not_found' } } };
    // Checks before and after the lookup is cached for its own organization.
    for (let round = 0; round < 2; round++) {
      const path = PATH.replace('main', 'elsewhere');
      expect(await server.as(other).post(path, { model, messages })).toMatchObject(refusal);
      expect((await owner.post(PATH, { model, messages })).status).toBe(200);
    }
    const list = await server.as(other).get('/org/elsewhere/inference/v1/models');
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([
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
    expect((await server.as(other).get('/org/elsewhere/inference/providers')).body).toEqual([]);
  });
});

describe('JSON bodies', () => {
  const asked = (fields: string) =>
    `{"model":"${model}","messages":[{"role":"user","content":"Hi"}]${fields}}`;

  test.each([
    '{"stream":true}',
    '{"metadata":"text"}',
    '{"metadata":{"drydock.session_id":"x"}}',
    '{"n":"many"}',
    '{"model":"sim/echo"}',
    '5',
  ])('__proto__ set to %s has no effect', async (prototype) => {
    const response = await owner.post(PATH, asked(`,"__proto__":${prototype}`));
    expect(response).toMatchObject({ status: 200, body: { object: 'chat.completion' } });
    expect(lastRequest()?.body).toMatchObject({ model: 'plain' });
    expect(lastRequest()?.body.stream).toBeUndefined();
  });

  test('the last of duplicate fields wins, both here and at the provider', async () => {
    const text = asked(`,"model":"local/a@b~c+d","metadata":{"a":"1"},"metadata":{"b":"2"}`);
    expect((await owner.post(PATH, text)).status).toBe(200);
    expect(lastRequest()?.text.match(/"model"/g)).toHaveLength(1);
    expect(lastRequest()?.body).toMatchObject({ model: 'a@b~c+d', metadata: { b: '2' } });
  });

  test('NUL and lone surrogates in texts are passed on unchanged', async () => {
    const content = 'a\0b\ud800c';
    expect((await owner.post(PATH, { model, messages: [{ role: 'user', content }] })).status).toBe(200);
    expect(lastRequest()?.body['messages']).toEqual([{ role: 'user', content }]);
  });

  test.each(['anthropic', 'google'])(
    'numbers that a double cannot hold are translated exactly for %s',
    async (kind) => {
      const parameters =
        '{"type":"object","properties":{"n":{"type":"integer","maximum":18446744073709551615}}}';
      const tools = `[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
      const text = asked(`,"temperature":0.50000000000000001,"tools":${tools}`);
      await owner.post(PATH, text.replace(model, `${kind}/plain`));
      expect(lastRequest()?.text).toContain('"maximum":18446744073709551615');
      expect(lastRequest()?.text).toContain('"temperature":0.5');
    },
  );

  test('more than 64 levels are refused', async () => {
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    expect(await owner.post(PATH, asked(`,"x":${deep}`))).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error' } },
    });
  });
});

test.each([
  ['00-more', false],
  ['00', true],
  ['01-more', true],
])('createChatCompletion with a traceparent of version %s uses it: %s', async (form, isHeeded) => {
  const [version = '', more] = form.split('-');
  const traceId = crypto.randomUUID().replaceAll('-', '');
  const traceparent = `${version}-${traceId}-00f067aa0ba902b7-01${more ? `-${more}` : ''}`;
  const { headers } = await owner.post(PATH, { model, messages }, { traceparent });
  const call = await server.db
    .selectFrom('inference_calls as c')
    .innerJoin('organizations as o', 'o.id', 'c.organization_id')
    .select('c.trace_id')
    .where('o.key', '=', 'main')
    .where('c.id', '=', String(headers['x-drydock-call-id']))
    .executeTakeFirstOrThrow();
  expect(call.trace_id?.toString('hex')).toBe(isHeeded ? traceId : undefined);
});

describe('a malicious provider', () => {
  const nested = `${'{"error":'.repeat(200)}"deep"${'}'.repeat(200)}`;

  test('cannot block the gateway with a deeply nested error', async () => {
    provider.next((_, response) => void response.writeHead(400).end(nested));
    expect((await owner.post(PATH, { model, messages })).status).toBe(400);
    provider.next(sends([`data: ${nested}\n\n`]));
    expect((await owner.post(PATH, { model, messages, stream: true })).status).toBe(502);
  });

  test('cannot fill memory with empty lines', async () => {
    provider.next((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data:\n'.repeat(400_000));
    });
    expect(await owner.post(PATH, { model, messages, stream: true })).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('not a chunk of a chat completion') },
    });
  });

  test('cannot set headers through the id of its response', async () => {
    for (const id of ['a\r\nset-cookie: x=1', 'a\nb', 'ü', ' ', 'x'.repeat(201), 5]) {
      provider.next(answers({ id: id as string }));
      const { status, headers } = await owner.post(PATH, { model, messages });
      expect(status).toBe(200);
      expect(headers['x-upstream-id']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('receives only chat completions, and no credentials of the caller', async () => {
    await owner.post(PATH, { model, messages }, { cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', expect: '' });
    const { path, headers } = lastRequest() ?? {};
    expect(path).toBe('/v1/chat/completions');
    expect(Object.keys(headers ?? {}).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
  });

  test('is reported with the call id when it fails', async () => {
    provider.next(fails(400));
    const { headers } = await owner.post(PATH, { model, messages });
    expect(headers['x-drydock-call-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('createChatCompletion refuses the session of another user, and accepts one that is not saved yet', async () => {
  const other = await server.addPerson('session-owner', { role: 'member' });
  const id = crypto.randomUUID();
  const ask = () => owner.post(PATH, { model, messages }, { 'x-drydock-session': id });
  expect((await ask()).status).toBe(200);
  await server.as(other).post('/org/main/ws/main/sessions', { id, model: 'x' });
  expect(await ask()).toMatchObject({ status: 403 });
  const inMetadata = await owner.post(PATH, { model, messages, metadata: { 'drydock.session_id': id } });
  expect(inMetadata).toMatchObject({ status: 403 });
});

test('a key limited to a workspace can call models, but cannot see or change organization data', async () => {
  const workspace = (await owner.get('/org/main/ws/main')).body.id;
  const { body } = await owner.post('/user/api-keys', { name: 'narrow', workspace_id: workspace });
  const narrow = server.as(String(body.key));
  expect((await narrow.post(PATH, { model, messages })).status).toBe(200);
  expect((await narrow.get('/org/main/credits/inference-usage')).status).toBe(200);
  const refused = [
    await narrow.put(PROVIDERS, { providers: [] }),
    await narrow.post('/org/main/credits/adjust', { amount: 1 }),
    await narrow.get('/org/main/credits/transactions'),
    await narrow.get('/org/main/credits/inference-usage?user_id=all'),
    await narrow.get(`/org/main/credits/inference-usage?user_id=${crypto.randomUUID()}`),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  expect((await owner.get(PROVIDERS)).body).toHaveLength(3);
});
