/** What createModelResponse refuses, and how OpenAI's clients see failures. */
import {
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai';
import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import { describe, expect, test, vi } from 'vitest';
import { dropsMidStream, fails, refusesMore, stalls, stallsMidStream } from '../../../test/model-provider.ts';
import { failureOf, startOpenAiWorld } from '../../../test/openai-world.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';

const { server, provider, clientOf, written, writtenLater } = await startOpenAiWorld();
const { responses } = clientOf(server.owner.key);
const plain = { model: 'acme/large', input: 'Hello' };
const refusalOf = (more: object) =>
  failureOf(responses.create({ ...plain, ...more } as ResponseCreateParams));

describe('createModelResponse refuses', () => {
  test.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id', 'not stored'],
    [{ conversation: 'conv_1' }, 'conversation', 'not stored'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'not stored'],
    [{ background: true }, 'background', 'background'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].type', 'not stored'],
    [
      { input: [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }] },
      'input[0].type',
      'web_search',
    ],
    [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role', 'role'],
    [{ input: [{ role: 'user' }] }, 'input[0].content', 'required'],
    [{ input: [{ type: 'function_call', name: 'a', arguments: '{}' }] }, 'input[0].call_id', 'required'],
    [{ input: [{ type: 'function_call_output', call_id: 'a' }] }, 'input[0].output', 'required'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] }] },
      'input[0].content[0].image_url',
      'data: URI',
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] },
      'input[0].content[0].file_data',
      'data: URI',
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_video' }] }] },
      'input[0].content[0].type',
      'input_video',
    ],
    [
      {
        input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'https://a.example/b.png' }] }],
      },
      'input[0].content[0]',
      'text only',
    ],
    [{ input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }, 'input', 'nothing'],
    [{ input: [] }, 'input', ''],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type', 'json_schema'],
    [{ text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema', 'required'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name', 'required'],
    [{ tool_choice: { type: 'web_search_preview' } }, 'tool_choice', 'web_search_preview'],
    [{ tool_choice: 'sometimes' }, 'tool_choice', 'sometimes'],
    [{ temperature: 'hot' }, 'temperature', ''],
    [{ metadata: { 'drydock.session': 'x' } }, 'metadata.drydock.session', 'drydock.session_id'],
  ])('%j, naming the field', async (more, param, message) => {
    const error = await refusalOf(more);
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error).toMatchObject({ param, type: 'invalid_request_error' });
    expect(error.message).toContain(message);
    expect(await written()).toEqual([]);
  });

  test('every tool that cannot be passed on, by name', async () => {
    const types = [
      'web_search',
      'file_search',
      'computer_use_preview',
      'code_interpreter',
      'mcp',
      'image_generation',
      'local_shell',
    ];
    const { message } = await refusalOf({ tools: types.slice(0, 5).map((type) => ({ type })) });
    for (const type of types.slice(0, 5)) expect(message).toContain(`"${type}"`);
    const response = await server
      .as(server.owner)
      .post('/org/main/inference/v1/responses', { ...plain, tools: types.map((type) => ({ type })) });
    expect(response.status).toBe(422);
    expect(response.body.errors).toHaveLength(types.length);
  });

  test('a body of 20 MB', async () => {
    const error = await refusalOf({ input: 'x'.repeat(20_000_000) });
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain('over 16 MiB');
  });

  test('an unknown model', async () => {
    const error = await refusalOf({ model: 'acme/none' });
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found' });
  });
});

describe('createModelResponse fails', () => {
  test.each([false, true])("and returns the provider's error, streamed: %s", async (stream) => {
    provider.next(fails(400, 'temperature is too high'));
    const refused = await refusalOf({ stream });
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.message).toContain('temperature is too high');
    provider.always(refusesMore('9'));
    const limited = await refusalOf({ stream });
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited.headers?.get('retry-after')).toBe('9');
    provider.always(fails(500));
    expect(await refusalOf({ stream })).toBeInstanceOf(InternalServerError);
  });

  test('and sends response.failed when the stream breaks, and meters the output so far', async () => {
    provider.next(dropsMidStream(3));
    const stream = await responses.create({ ...plain, stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
    expect(JSON.stringify(events)).toContain('Hello ');
    const [call] = await written();
    expect(call).toMatchObject({ status: 'failed', error_type: 'bad_gateway_error', output_tokens: 3 });
  });

  test('and returns the first error when nothing was streamed yet', async () => {
    provider.always(stalls());
    const error = await refusalOf({ model: 'hasty/large', stream: true });
    expect(error).toMatchObject({ status: 504 });
  });
});

test('createModelResponse ends the call when its client leaves the stream', async () => {
  provider.always(stallsMidStream(3));
  for await (const { type } of await responses.create({ ...plain, stream: true }))
    if (type === 'response.output_text.delta') break;
  await vi.waitUntil(() => provider.requests.at(-1)?.isAborted, { timeout: WAIT_TIMEOUT_MS, interval: 20 });
  expect(await writtenLater()).toMatchObject([{ status: 'cancelled', is_estimated: true }]);
});
