/** Requests that translated models never send: untranslatable ones, keys of others, and connections to addresses that are not public. */
import { describe, expect, test } from 'vitest';
import { json, useForeignProvider } from '../../../../test/foreign-provider.ts';
import { translatedCall, translatedModel } from '../../../../test/translated-calls.ts';
import { GuardedClient } from '../../net/guarded-client.ts';
import { TranslatedModel } from './translated-model.ts';

const provider = await useForeignProvider();

const claude = translatedModel('anthropic', provider.url);
const ask = (body: Readonly<Record<string, unknown>>) => claude.complete(translatedCall(body));

describe('an untranslatable request', () => {
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
  test.each([
    [{ n: 2 }, /^n: This model gives one answer/],
    [{ messages: [] }, /^messages: /],
    [{ messages: [{ role: 'function', content: '' }] }, /^messages\[0\]\.role: .*system, developer/],
    [
      { messages: [{ role: 'tool', tool_call_id: 'x', content: '' }] },
      /^messages\[0\]\.tool_call_id: No tool call/,
    ],
    [user(7), /^messages\[0\]\.content: /],
    [user([{ type: 'video', video: {} }]), /^messages\[0\]\.content/],
    [user([{ type: 'image_url', image_url: { url: 'http://127.0.0.1/a.png' } }]), /url: The image has to be/],
    [user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }]), /url: The image has to be/],
    [
      user([{ type: 'image_url', image_url: { url: 'data:image/png,abc' } }]),
      /url: It has to be of the form/,
    ],
    [user([{ type: 'file', file: { file_id: 'file-1' } }]), /Send the file itself/],
    [
      user([{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }]),
      /cannot be asked this: .*audio/,
    ],
    [{ tools: [{ type: 'custom', custom: {} }] }, /^tools\[0\]\.type: Only tools of type "function"/],
    [{ tool_choice: { type: 'allowed_tools' } }, /^tool_choice: The choice has to be/],
    [{ functions: [] }, /^functions: Use tools/],
    [{ max_tokens: 0 }, /^max_tokens: /],
    [{ temperature: 'hot' }, /^temperature: /],
    [{ reasoning_effort: 'huge' }, /^reasoning_effort: /],
    [
      { provider_options: { anthropic: { thinking: { type: 'no such' } } } },
      /cannot be asked this: .*provider options/,
    ],
  ])('%j is refused with its location and reason, and nothing is sent', async (body, message) => {
    await expect(ask(body)).rejects.toMatchObject({
      type: 'invalid_error',
      message: expect.stringMatching(message),
    });
    expect(provider.received).toEqual([]);
  });
});

test('nested too deeply is refused', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const called = { id: 'a', type: 'function', function: { name: 'f', arguments: deep } };
  const tool = { type: 'function', function: { name: 'f', parameters: JSON.parse(deep) as object } };
  const messages = [{ role: 'assistant', tool_calls: [called] }];
  for (const body of [{ messages }, { tools: [tool] }])
    await expect(ask(body)).rejects.toMatchObject({
      type: 'invalid_error',
      message: 'The request is nested too deeply.',
    });
  expect(provider.received).toEqual([]);
});

test('a model without a key sends none, whatever the environment of this process contains', async () => {
  const keys = ['ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];
  for (const name of keys) process.env[name] = 'key-of-the-process';
  try {
    provider.turns.push(json(401, {}), json(401, {}));
    const keyless = { apiKey: undefined };
    await translatedModel('anthropic', provider.url, keyless)
      .complete(translatedCall({}))
      .catch(() => undefined);
    await translatedModel('google', provider.url, keyless)
      .complete(translatedCall({}, { kind: 'google' }))
      .catch(() => undefined);
    expect(provider.received).toHaveLength(2);
    expect(JSON.stringify(provider.received)).not.toMatch(/key-of-the-process|api-key/);
  } finally {
    for (const name of keys) delete process.env[name];
  }
});

test('addresses that are not public are not connected to', async () => {
  const model = new TranslatedModel(new GuardedClient(), {
    kind: 'anthropic',
    name: 'near',
    baseUrl: `${provider.url}/v1`,
    apiKey: 'sk-ant-secret',
    timeoutMs: 60_000,
    maxOutputTokens: 10,
  });
  await expect(model.complete(translatedCall({}))).rejects.toMatchObject({
    type: 'bad_gateway_error',
    message: expect.stringContaining('no public address'),
  });
  expect(provider.received).toEqual([]);
});
