/** What the gateway passes on, the order of its responses and ledger writes, and its handling of failures. */
import { describe, expect, test } from 'vitest';
import {
  answers,
  dropsMidStream,
  fails,
  garbageEvents,
  sends,
  toChunks,
  toEvent,
} from '../../../test/model-provider.ts';
import { large, scripted, startOpenAiWorld, whileUnwritable } from '../../../test/openai-world.ts';

const { server, provider, chatUrl, written } = await startOpenAiWorld();
const { owner, db } = server;

const PATH = '/org/main/inference/v1/chat/completions';
const post = (body: unknown, headers?: Record<string, string>) => server.as(owner).post(PATH, body, headers);
const stream = async (body: object = {}) => {
  const response = await post({ ...large, stream: true, ...body });
  return { ...response, text: String(response.body) };
};
const lastEvent = (text: string) =>
  JSON.parse(text.trim().split('\n\n').at(-1)?.slice('data: '.length) ?? '');

/** Uses a raw connection, so that the test can inspect what has arrived so far. */
const open = (body: object) =>
  fetch(chatUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('order of response and ledger write', () => {
  test('a whole response is sent only after the call is stored', async () => {
    let hasResponded = false;
    let asking: Promise<Response> | undefined;
    await whileUnwritable(db, async () => {
      asking = open(large).then((response) => {
        hasResponded = true;
        return response;
      });
      await expect.poll(() => provider.requests.length).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect([hasResponded, await written()]).toEqual([false, []]);
    });
    const response = await asking;
    const [call] = await written();
    expect(response?.headers.get('x-drydock-call-id')).toBe(call?.id);
    expect(await response?.json()).toMatchObject({ id: `chatcmpl-${call?.id.replaceAll('-', '')}` });
    expect(call).toMatchObject({ status: 'completed', is_estimated: false, input_tokens: 7 });
  });

  test('a stream is sent as it is generated, and its [DONE] after the call is stored', async () => {
    let text = '';
    let reading: Promise<void> | undefined;
    await whileUnwritable(db, async () => {
      const response = await open({ ...large, stream: true });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      reading = (async () => {
        for await (const bytes of response.body ?? []) text += Buffer.from(bytes as Uint8Array).toString();
      })();
      await expect.poll(() => text).toContain('"finish_reason":"stop"');
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(text).not.toContain('[DONE]');
      expect(await written()).toEqual([]);
    });
    await reading;
    expect(text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
    expect(await written()).toMatchObject([{ status: 'completed', is_streamed: true, output_tokens: 5 }]);
  });

  test.each([true, false])(
    'createChatCompletion labels the response of a simulated model (stream: %s)',
    async (isStreamed) => {
      const simulated = await post({ ...large, model: 'sim/echo', stream: isStreamed });
      expect(simulated.headers['x-drydock-simulated']).toBe('true');
      const { headers } = await post({ ...large, stream: isStreamed });
      expect(headers).not.toHaveProperty('x-drydock-simulated');
    },
  );
});

describe('createChatCompletion with a broken stream', () => {
  test('ends with the error and without [DONE], and counts the output so far', async () => {
    const script = { say: '12345678 and more', chunk_size: 8, break_off: { after: 8 } };
    const { text, status } = await stream(scripted([script]));
    expect(status).toBe(200);
    expect(text).not.toContain('[DONE]');
    const { code, type, detail, error } = lastEvent(text);
    expect({ code, type }).toEqual({ code: 502, type: 'bad_gateway_error' });
    expect(error).toEqual({ message: detail, type: 'server_error', code: 'bad_gateway', param: null });
    expect(await written()).toMatchObject([
      { status: 'failed', error_type: 'bad_gateway_error', output_tokens: 2, is_estimated: true },
    ]);
  });

  test.each([
    ['the connection', dropsMidStream(3)],
    ['its form', garbageEvents()],
  ])('ends with an error after a failure of %s', async (_, script) => {
    provider.next(script);
    const { text } = await stream();
    expect(text).not.toContain('[DONE]');
    expect(lastEvent(text)).toMatchObject({ code: 502, error: { type: 'server_error' } });
    expect(await written()).toMatchObject([{ status: 'failed', error_type: 'bad_gateway_error' }]);
  });

  test('counts at least the output seen, whatever usage was reported before', async () => {
    const [chunk = {}] = toChunks({ text: 'x' }, {}).slice(1);
    const early = { ...chunk, usage: { prompt_tokens: 10, completion_tokens: 1 } };
    const script = { choices: [{ index: 0, delta: { content: '1234567' }, finish_reason: null }] };
    provider.next(sends([toEvent(early), toEvent(script)]));
    await stream();
    expect(await written()).toMatchObject([{ input_tokens: 10, output_tokens: 2, is_estimated: true }]);
  });
});

test.each([true, false])(
  'createChatCompletion returns a plain error and counts nothing when the call fails before any output (stream: %s)',
  async (isStreamed) => {
    provider.next(fails(422, 'No such tool.'));
    const response = await post({ ...large, stream: isStreamed });
    expect(response).toMatchObject({ status: 400, body: { code: 400, error: { param: null } } });
    const [call] = await written();
    expect(call).toMatchObject({ status: 'failed', error_type: 'invalid_error', input_tokens: null });
    expect(call).toMatchObject({ first_byte_ms: null, is_streamed: isStreamed });
    expect(response.headers['x-drydock-call-id']).toBe(call?.id);
  },
);

test('createChatCompletion estimates tokens as a quarter of the bytes of messages and tools, and of the output characters', async () => {
  provider.next(answers({ text: 'Grüße, 12', usage: null }));
  const messages = [{ role: 'user', content: 'ä'.repeat(100) }];
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  await post({ ...large, messages, tools });
  const bytes = Buffer.byteLength(JSON.stringify([messages, tools]));
  expect(await written()).toMatchObject([
    { input_tokens: Math.ceil(bytes / 4), output_tokens: 3, is_estimated: true },
  ]);
});

test("createChatCompletion sends the provider's model name, and leaves the links out", async () => {
  const given = `{"model":"acme/dear/est","seed":18446744073709551615,"messages":[{"role":"user","content":"Hi","odd":1}],
    "tools":[{"type":"function"}],"logit_bias":{"50256":-100},"metadata":{"drydock.trace_id":"${'a'.repeat(32)}","drydock.span_id":"${'b'.repeat(16)}","own":"x"}}`;
  expect((await post(given)).status).toBe(200);
  const asked = provider.requests.at(-1);
  expect(asked?.text).toContain('"seed":18446744073709551615');
  expect({ ...asked?.body, seed: 0 }).toEqual({
    model: 'dear/est',
    seed: 0,
    messages: [{ role: 'user', content: 'Hi', odd: 1 }],
    tools: [{ type: 'function' }],
    logit_bias: { 50256: -100 },
    metadata: { own: 'x' },
  });
  await post({ ...large, metadata: { 'drydock.session_id': owner.id } });
  expect(provider.requests.at(-1)?.body).not.toHaveProperty('metadata');
});

describe('createChatCompletion', () => {
  test.each([
    ['', {}],
    [', "stream":true', { stream: true, stream_options: { include_usage: true } }],
    [
      ', "stream":true, "stream_options":{"include_usage": true, "other": 1}',
      { stream: true, stream_options: { include_usage: true, other: 1 } },
    ],
  ])('passes every field on, with %j', async (asked, more) => {
    const rest =
      '"temperature" : 1.50, "seed":18446744073709551615,\n "messages":[{"role":"user","content":"Gr\\/ü\\n"}]';
    expect((await post(`{ "model": "acme/dear/est", ${rest}${asked}} `)).status).toBe(200);
    const sent = provider.requests.at(-1);
    expect({ ...sent?.body, seed: 0 }).toEqual({
      model: 'dear/est',
      temperature: 1.5,
      seed: 0,
      messages: [{ role: 'user', content: 'Gr/ü\n' }],
      ...more,
    });
    expect(sent?.text).toContain('"seed":18446744073709551615');
  });

  test.each([
    ['a name twice', '"model":"acme/small","model":"acme/dear/est"', {}],
    [
      'anything twice',
      '"model":"acme/dear/est","metadata":{"drydock.session_id":"x"},"metadata":null',
      { metadata: null },
    ],
    ['a field that is dropped', '"model":"acme/dear/est","__proto__":{"n":2}', {}],
    ['a name with escapes', '"mod\\u0065l":"acme/dear/est"', {}],
    ['a message that has one', '"model":"acme/dear/est","x":{"model":"y"}', { x: { model: 'y' } }],
    [
      'options of a stream',
      '"model":"acme/dear/est","stream":true,"stream_options":null',
      { stream: true, stream_options: { include_usage: true } },
    ],
  ])('passes on %s as it was parsed', async (_, members, more) => {
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(
      (await post(`{${members},"seed":18446744073709551615,"messages":${JSON.stringify(messages)}}`)).status,
    ).toBe(200);
    const sent = provider.requests.at(-1);
    expect({ ...sent?.body, seed: 0 }).toEqual({ model: 'dear/est', messages, seed: 0, ...more });
    expect(sent?.text).toContain('"seed":18446744073709551615');
  });
});

test('createChatCompletion passes on numbers that a double cannot hold unchanged, and others as numbers', async () => {
  const numbers = '[1e400,-2E-400,12345678901234567890.5,9007199254740993,1e5,0.1]';
  const members = `"model":"acme/dear/est","x":${numbers},"max_tokens":1.0000000000000e3,"metadata":{"drydock.session_id":"${owner.id}"}`;
  expect(
    (await post(`{${members},"messages":[{"role":"user","content":"12345678901234567890"}]}`)).status,
  ).toBe(200);
  const sent = provider.requests.at(-1)?.text;
  expect(sent).toContain('"x":[1e400,-2E-400,12345678901234567890.5,9007199254740993,100000,0.1]');
  expect(sent).toContain('"max_tokens":1000,');
});

test('createChatCompletion accepts a limit beyond the safe integers of a double', async () => {
  const body =
    '{"model":"acme/dear/est","max_tokens":9223372036854775807,"messages":[{"role":"user","content":"Hi"}]}';
  expect((await post(body)).status).toBe(200);
  expect(provider.requests.at(-1)?.body).toMatchObject({ max_tokens: Number('9223372036854775807') });
  expect((await post(body.replace('9223372036854775807', '"many"'))).status).toBe(422);
});

test('createChatCompletion passes on a number of a million digits', async () => {
  const long = `1${'0'.repeat(1_000_000)}1`;
  const members = `"model":"acme/dear/est","seed":${long},"metadata":{"drydock.session_id":"${owner.id}"}`;
  expect((await post(`{${members},"messages":[{"role":"user","content":"Hi"}]}`)).status).toBe(200);
  expect(provider.requests.at(-1)?.text.includes(`"seed":${long}}`)).toBe(true);
});

describe('links of createChatCompletion', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const span = 'b7ad6b7169203331';
  const none = { session: null, trace: null, span: null };
  const session = '0198A0B0-0000-7000-8000-000000000001';

  test.each([
    [{}, undefined, none],
    [{ 'x-drydock-session': session }, undefined, { ...none, session: session.toLowerCase() }],
    [{ traceparent: `00-${trace}-${span}-01` }, undefined, { ...none, trace, span }],
    [{ traceparent: `01-${trace}-${span}-01-more` }, undefined, { ...none, trace, span }],
    [{ traceparent: `ff-${trace}-${span}-01` }, undefined, none],
    [{ traceparent: `00-${'0'.repeat(32)}-${span}-01` }, undefined, none],
    [{ traceparent: 'nonsense' }, null, none],
    [
      { traceparent: `00-${trace}-${span}-01`, 'x-drydock-session': session },
      {
        'drydock.session_id': owner.id,
        'drydock.trace_id': 'A'.repeat(32),
        'drydock.span_id': 'B'.repeat(16),
      },
      { session: owner.id, trace: 'a'.repeat(32), span: 'b'.repeat(16) },
    ],
  ])('are taken from headers %j and metadata %j', async (headers, metadata, links) => {
    const body = { ...large, ...(metadata !== undefined && { metadata }) };
    expect(await post(body, headers)).toMatchObject({ status: 200 });
    const [call] = await written();
    expect({
      session: call?.session_id,
      trace: call?.trace_id?.toString('hex') ?? null,
      span: call?.span_id?.toString('hex') ?? null,
    }).toEqual(links);
  });

  test.each([
    [{ 'x-drydock-session': 'mine' }, {}, ['header', 'x-drydock-session']],
    [{}, { 'drydock.session_id': 'mine' }, ['body', 'metadata', 'drydock.session_id']],
    [{}, { 'drydock.session_id': null }, ['body', 'metadata', 'drydock.session_id']],
    [{}, { 'drydock.trace_id': trace }, ['body', 'metadata', 'drydock.span_id']],
    [{}, { 'drydock.trace_id': trace, 'drydock.span_id': 'xyz' }, ['body', 'metadata', 'drydock.span_id']],
    [
      {},
      { 'drydock.trace_id': '0'.repeat(32), 'drydock.span_id': span },
      ['body', 'metadata', 'drydock.trace_id'],
    ],
    [{}, { 'drydock.session': owner.id }, ['body', 'metadata', 'drydock.session']],
  ])('are refused when malformed: %j %j', async (headers, metadata, loc) => {
    const count = provider.requests.length;
    expect(await post({ ...large, metadata }, headers)).toMatchObject({
      status: 422,
      body: { errors: [{ loc }] },
    });
    expect([provider.requests.length, await written()]).toEqual([count, []]);
  });
});

test('createChatCompletion refuses a large response while earlier ones are still in memory', async () => {
  const text = 'x'.repeat(43 * 1024 * 1024);
  provider.always(answers({ text }));
  const [unread, other] = [await open(large), await open(large)];
  expect([unread.status, other.status]).toEqual([200, 200]);
  const refused = await post(large);
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '2', 'x-should-retry': 'false' } });
  expect(refused.body.error.message).toContain('large responses of models');
  provider.next(answers({}));
  expect((await post(large)).status).toBe(200);
  expect((await unread.text()).includes(text)).toBe(true);
  const statusOfUnread = async () => {
    const response = await open(large);
    await response.body?.cancel();
    return response.status;
  };
  // One slot is free after a response was read, and again after the reader of the next one disconnected.
  for (let round = 0; round < 2; round++) await expect.poll(statusOfUnread).toBe(200);
  await other.body?.cancel();
  provider.always(answers({}));
});
