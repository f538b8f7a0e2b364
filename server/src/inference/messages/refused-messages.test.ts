/** What createModelMessage refuses, and the form of its errors. */
import {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from '@anthropic-ai/sdk';
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, test, vi } from 'vitest';
import { anthropicFailureOf, errorOf, startAnthropicWorld } from '../../../test/anthropic-world.ts';
import { dropsMidStream, fails, refusesMore, stallsMidStream } from '../../../test/model-provider.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';

const { client, clientOf, provider, server, written, writtenLater } = await startAnthropicWorld();
const { messages } = client;
const reader = await server.addPerson('reader', { role: 'member', scopes: ['inference:read'] });
const plain = {
  model: 'acme/large',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Hello' }],
};
const refusalOf = (more: object) =>
  anthropicFailureOf(messages.create({ ...plain, ...more } as MessageCreateParams));
const requestWith = (role: string, ...content: readonly object[]) => ({ messages: [{ role, content }] });

describe('createModelMessage refuses', () => {
  test.each([
    [{ max_tokens: undefined }, 'max_tokens', 'required'],
    [{ max_tokens: 0 }, 'max_tokens', ''],
    [{ messages: [] }, 'messages', ''],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role', ''],
    [requestWith('user'), 'messages', 'nothing'],
    [requestWith('user', { type: 'text' }), 'messages[0].content[0].text', 'required'],
    [
      requestWith('user', { type: 'image', source: { type: 'file', file_id: 'file_1' } }),
      'messages[0].content[0].source.type',
      'base64',
    ],
    [
      requestWith('user', { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } }),
      'messages[0].content[0].source.type',
      'base64',
    ],
    [
      requestWith('user', { type: 'container_upload', file_id: 'x' }),
      'messages[0].content[0].type',
      'container_upload',
    ],
    [
      requestWith('assistant', { type: 'server_tool_use', id: 'x', name: 'web_search', input: {} }),
      'messages[0].content[0].type',
      'server_tool_use',
    ],
    [
      requestWith('assistant', { type: 'tool_use', name: 'a', input: {} }),
      'messages[0].content[0].id',
      'required',
    ],
    [
      requestWith('user', { type: 'tool_result', content: 'x' }),
      'messages[0].content[0].tool_use_id',
      'required',
    ],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0]', '"web_search"'],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools[0]', 'bash_20250124'],
    [{ tools: [{ name: 'add' }] }, 'tools[0].input_schema', 'required'],
    [
      { tools: [{ name: 'add', input_schema: {} }], tool_choice: { type: 'some' } },
      'tool_choice.type',
      'auto, any',
    ],
    [{ mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] }, 'mcp_servers', 'anthropic'],
    [{ container: 'container_1' }, 'container', 'anthropic'],
    [{ output_config: { format: { type: 'xml' } } }, 'output_config.format', 'json_schema'],
    [{ metadata: { 'drydock.session': 'x' } }, 'metadata.drydock.session', 'drydock.session_id'],
  ])('%j, naming the field', async (more, field, message) => {
    const failure = await refusalOf(more);
    expect(failure).toBeInstanceOf(UnprocessableEntityError);
    expect(failure.error).toMatchObject({ type: 'error', code: 422 });
    expect(errorOf(failure)).toMatchObject({ type: 'invalid_request_error' });
    expect(errorOf(failure).message).toContain(field);
    expect(errorOf(failure).message).toContain(message);
    expect(await written()).toEqual([]);
  });

  test('a body of 20 MB', async () => {
    const failure = await refusalOf({ system: 'x'.repeat(20_000_000) });
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure.message).toContain('over 16 MiB');
  });

  test('an unknown model', async () => {
    const failure = await refusalOf({ model: 'acme/none' });
    expect(failure).toBeInstanceOf(NotFoundError);
    expect(errorOf(failure)).toMatchObject({ type: 'not_found_error', drydock_type: 'not_found_error' });
  });

  test('an invalid key, and a key without the right to call models', async () => {
    const nobody = await anthropicFailureOf(clientOf('dd_nobody').messages.create(plain));
    expect(nobody).toBeInstanceOf(AuthenticationError);
    expect(errorOf(nobody).type).toBe('authentication_error');
    const mayNot = await anthropicFailureOf(clientOf(reader.key).messages.create(plain));
    expect(mayNot).toBeInstanceOf(PermissionDeniedError);
    expect(errorOf(mayNot).type).toBe('permission_error');
  });
});

describe('createModelMessage fails', () => {
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
    expect(errorOf(await refusalOf({ stream })).type).toBe('api_error');
  });

  test('and sends an error event when the stream breaks, and meters the output so far', async () => {
    provider.next(dropsMidStream(3));
    const texts: string[] = [];
    const stream = messages.stream(plain).on('text', (text) => texts.push(text));
    const failure = await anthropicFailureOf(stream.finalMessage());
    expect(errorOf(failure)).toMatchObject({ type: 'api_error', drydock_type: 'bad_gateway_error' });
    expect(texts.join('')).toBe('Hello from ');
    expect(await written()).toMatchObject([{ status: 'failed', output_tokens: 3 }]);
  });

  test("in Anthropic's form on its own path, and in OpenAI's form elsewhere", async () => {
    const owner = server.as(server.owner);
    const below = await owner.get('/org/main/inference/v1/messages/batches');
    expect(below).toMatchObject({ status: 404, body: { type: 'error', error: { type: 'not_found_error' } } });
    const beside = await owner.get('/org/main/inference/v1/files');
    expect(beside).toMatchObject({
      status: 404,
      body: { type: 'not_found_error', error: { code: 'not_found' } },
    });
  });
});

test('createModelMessage ends the call when its client leaves the stream', async () => {
  provider.always(stallsMidStream(3));
  for await (const { type } of await messages.create({ ...plain, stream: true }))
    if (type === 'content_block_delta') break;
  await vi.waitUntil(() => provider.requests.at(-1)?.isAborted, { timeout: WAIT_TIMEOUT_MS, interval: 20 });
  expect(await writtenLater()).toMatchObject([{ status: 'cancelled', is_estimated: true }]);
});

test("listInferenceModels returns models in Anthropic's form for its client", async () => {
  const models = await Array.fromAsync(client.models.list());
  expect(models.find(({ id }) => id === 'acme/large')).toMatchObject({
    type: 'model',
    display_name: 'acme/large',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect((await client.models.retrieve('sim/echo')).display_name).toBe('sim/echo');
});
