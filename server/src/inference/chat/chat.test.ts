/** Chat completions end to end: the official client, the gateway, a provider, and the ledger. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import {
  answers,
  dropsMidStream,
  fails,
  refusesMore,
  stallsMidStream,
  startModelProvider,
} from '../../../test/model-provider.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' });
const { owner, db } = server;
const provider = await startModelProvider();
afterAll(() => provider.close());

const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
const baseURL = `${address}/api/v1/org/main/inference/v1`;
const client = new OpenAI({ baseURL, apiKey: owner.key, maxRetries: 0 });

const KEY = 'sk-secret-of-the-provider';
const PATH = '/org/main/inference/v1/chat/completions';
const model = 'local/big-model';
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi' }];
const post = (body: unknown, headers?: Record<string, string>) => server.as(owner).post(PATH, body, headers);

beforeAll(async () => {
  const models = [{ name: 'big-model', input_price: 3, output_price: 15 }];
  const local = {
    name: 'local',
    kind: 'openai_compatible',
    base_url: provider.baseUrl,
    api_key: KEY,
    models,
  };
  const response = await server.as(owner).put('/org/main/inference/providers', { providers: [local] });
  expect(response.status).toBe(200);
});
beforeEach(() => provider.always(answers()));

const lastRequest = () => provider.requests.at(-1);

/** Returns the ledger entry of a call, once it exists. */
async function bookOf(callId: string | null | undefined) {
  const id = callId ?? '';
  return vi.waitFor(async () => {
    const call = await db
      .selectFrom('inference_calls as c')
      .innerJoin('organizations as o', 'o.id', 'c.organization_id')
      .leftJoin('usage_events as u', (join) =>
        join
          .onRef('u.organization_id', '=', 'c.organization_id')
          .on('u.source', '=', 'gateway')
          .on('u.external_id', '=', sql<string>`c.id::text`),
      )
      .select(['c.model', 'c.is_streamed', 'c.status', 'c.error_type', 'c.is_estimated', 'c.session_id'])
      .select(['u.input_tokens', 'u.output_tokens', 'u.cost_usd', 'u.credits'])
      .where('o.key', '=', 'main')
      .where('c.id', '=', id)
      .executeTakeFirst();
    expect(call).toBeDefined();
    return call;
  });
}

describe('the official client', () => {
  test('receives a whole response, and the call is in the ledger', async () => {
    const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Hello from the provider.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 5 },
    });
    const callId = response.headers.get('x-drydock-call-id');
    expect(data.id).toBe(`chatcmpl-${callId?.replaceAll('-', '')}`);
    expect(response.headers.get('x-upstream-id')).toBe('chatcmpl-upstream');
    expect(lastRequest()).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: 'big-model' },
    });
    expect(await bookOf(callId)).toMatchObject({
      model,
      is_streamed: false,
      status: 'completed',
      is_estimated: false,
      input_tokens: 7,
      output_tokens: 5,
      credits: 1,
    });
  });

  test('receives a stream without usage unless it asks for it', async () => {
    const { data, response } = await client.chat.completions
      .create({ model, messages, stream: true })
      .withResponse();
    const chunks = await Array.fromAsync(data);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'Hello from the provider.',
    );
    expect(chunks.filter(({ usage }) => usage)).toEqual([]);
    const callId = response.headers.get('x-drydock-call-id');
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([`chatcmpl-${callId?.replaceAll('-', '')}`]));
    expect(await bookOf(callId)).toMatchObject({
      is_streamed: true,
      status: 'completed',
      input_tokens: 7,
      output_tokens: 5,
    });
  });

  test('receives the usage of a stream when it asks for it', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 7 } });
  });

  test('calls tools', async () => {
    const toolCalls = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo","unit":"C"}' }];
    provider.always(answers({ toolCalls }));
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'weather' } }];
    const whole = await client.chat.completions.create({ model, messages, tools });
    expect(whole.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo","unit":"C"}' } },
    ]);
    const streamed = client.chat.completions.stream({ model, messages, tools });
    expect((await streamed.finalChatCompletion()).choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: 'weather', arguments: '{"city":"Oslo","unit":"C"}' } },
    ]);
    expect(lastRequest()?.body.tools).toEqual(tools);
  });

  test('aborts a stream: the provider request is cancelled, and the output so far counts', async () => {
    provider.next(stallsMidStream(3));
    const { data, response } = await client.chat.completions
      .create({ model, messages, stream: true })
      .withResponse();
    let seen = 0;
    for await (const _ of data) if (++seen === 3) break; // leaving the loop aborts the stream
    const book = await bookOf(response.headers.get('x-drydock-call-id'));
    expect(book).toMatchObject({ status: 'cancelled', error_type: null, is_estimated: true });
    expect(book?.output_tokens).toBeGreaterThan(0);
    await vi.waitFor(() => expect(lastRequest()?.isAborted).toBe(true));
  });

  test("receives errors in OpenAI's form", async () => {
    const ask = (body: object) =>
      client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming);
    await expect(ask({ model: 'local/none', messages })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      type: 'invalid_request_error',
    });
    await expect(ask({ model })).rejects.toMatchObject({
      status: 422,
      code: 'missing_required_parameter',
      param: 'messages',
      message: expect.stringContaining('"messages": is required.'),
    });
    provider.next(fails(400, 'No such field.'));
    await expect(ask({ model, messages })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('No such field.'),
    });
    const stranger = new OpenAI({ baseURL, apiKey: 'dd_none', maxRetries: 0 });
    await expect(stranger.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
  });

  test('lists models', async () => {
    const ids = (await Array.fromAsync(await client.models.list())).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([model, 'sim/echo', 'sim/scripted']));
  });
});

describe('a provider that', () => {
  test('drops the stream ends it with an error, and the output so far counts', async () => {
    provider.next(dropsMidStream(3));
    const { data, response } = await client.chat.completions
      .create({ model, messages, stream: true })
      .withResponse();
    await expect(Array.fromAsync(data)).rejects.toMatchObject({ error: { type: 'server_error' } });
    const book = await bookOf(response.headers.get('x-drydock-call-id'));
    expect(book).toMatchObject({ status: 'failed', error_type: 'bad_gateway_error', is_estimated: true });
    expect(book?.output_tokens).toBeGreaterThan(0);
  });

  test('returns 429 is passed on with its Retry-After', async () => {
    provider.next(refusesMore('30'));
    expect(await post({ model, messages })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      body: { type: 'usage_limit_exceeded_error', error: { code: 'rate_limit_exceeded' } },
    });
  });

  test("rejects the gateway's key does not reveal it", async () => {
    provider.next(fails(401, `Incorrect API key provided: ${KEY}.`));
    const response = await post({ model, messages });
    expect(response).toMatchObject({ status: 502, body: { error: { type: 'server_error' } } });
    expect(JSON.stringify(response)).not.toContain(KEY);
  });

  test('reports invalid usage does not corrupt the ledger', async () => {
    provider.next(answers({ usage: { prompt_tokens: -5, completion_tokens: 1.5 } }));
    const { headers } = await post({ model, messages });
    expect(await bookOf(String(headers['x-drydock-call-id']))).toMatchObject({
      is_estimated: true,
      input_tokens: 10,
      output_tokens: 6,
    });
  });
});

describe('createChatCompletion with bad input', () => {
  test.each([
    [{ messages }, 422, 'model'],
    [{ model, messages: [] }, 422, 'messages'],
    [{ model, messages: 'Hi' }, 422, 'messages'],
    [{ model, messages: [{ content: 'Hi' }] }, 422, 'messages[0].role'],
    [{ model, messages, stream: 'yes' }, 422, 'stream'],
    [{ model, messages, metadata: { 'drydock.session_id': 1 } }, 422, 'metadata.drydock.session_id'],
  ])('%j', async (body, status, param) => {
    const count = provider.requests.length;
    expect(await post(body)).toMatchObject({
      status,
      body: { type: 'validation_error', error: { type: 'invalid_request_error', param } },
    });
    expect(provider.requests).toHaveLength(count);
  });

  test.each(['unlisted/model', 'nothing', '/', 'local/', 'sim/none'])(
    'returns 404 for the model %s',
    async (unknown) => {
      expect(await post({ model: unknown, messages })).toMatchObject({
        status: 404,
        body: { type: 'not_found_error', error: { code: 'model_not_found' } },
      });
    },
  );

  test('refuses a body over the limit, and a body that is not JSON', async () => {
    const large = { model, messages: [{ role: 'user', content: 'x'.repeat(16 * 1024 * 1024) }] };
    expect(await post(large)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error' } },
    });
    expect(await post('{"model":')).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error' } },
    });
  });

  test('returns 404 for unknown paths beside it', async () => {
    for (const path of ['/moderations', '/chat', ''])
      expect(await server.as(owner).post(`/org/main/inference/v1${path}`, {})).toMatchObject({
        status: 404,
        body: { error: { type: 'invalid_request_error' } },
      });
    expect(await server.as(undefined).get('/org/main/inference/v1/none')).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_api_key' } },
    });
  });
});

test('createChatCompletion passes numbers on unchanged, and keeps links from the provider', async () => {
  const text = `{"model":"${model}","seed":18446744073709551615,"temperature":0.1,"messages":[{"role":"user","content":"Hi"}],"metadata":{"drydock.session_id":"${owner.id}"}}`;
  const { status, headers } = await post(text);
  expect(status).toBe(200);
  expect(lastRequest()?.text).toContain('"seed":18446744073709551615');
  expect(lastRequest()?.text).not.toContain('drydock');
  expect(await bookOf(String(headers['x-drydock-call-id']))).toMatchObject({ session_id: owner.id });
});

test('createChatCompletion with a simulated model needs no provider, and labels the response as simulated', async () => {
  const { data, response } = await client.chat.completions
    .create({ model: 'sim/echo', messages })
    .withResponse();
  expect(data.choices[0]?.message.content).toContain('Hi');
  expect(response.headers.get('x-drydock-simulated')).toBe('true');
  expect(await bookOf(response.headers.get('x-drydock-call-id'))).toMatchObject({
    status: 'completed',
    model: 'sim/echo',
    credits: 0,
  });
});

test('createChatCompletion leaves no connection open after its calls', async () => {
  for (let round = 0; round < 20; round++) await post({ model, messages, stream: round % 2 === 0 });
  await sleep(50);
  expect(provider.openSockets()).toBeLessThanOrEqual(4);
});
