/** Google's models, as documented for its generateContent API. */
import { describe, expect, test } from 'vitest';
import { events, googleEvents, json, useForeignProvider } from '../../../../test/foreign-provider.ts';
import {
  chunksOf,
  completionOf,
  translatedCall,
  translatedModel,
} from '../../../../test/translated-calls.ts';

const provider = await useForeignProvider();

const model = translatedModel('google', provider.url);
const callOf = (body: Readonly<Record<string, unknown>>) => translatedCall(body, { kind: 'google' });

function answer(parts: readonly object[], more: object = {}) {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...more }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'Il0taoSYJ5Cez7',
  };
}

const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
  },
};

describe('a translated request to Google', () => {
  test('contains the instructions, texts, files, tool calls, results and limits', async () => {
    provider.turns.push(json(200, answer([{ text: 'Warm.' }])));
    await model.complete(
      callOf({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look and listen:' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
              { type: 'image_url', image_url: { url: 'https://images.example/cat.webp?size=1' } },
              { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"place":"Bern"}' } },
              { id: 'b', type: 'function', function: { name: 'clock', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'a', content: '21 °C' },
          { role: 'tool', tool_call_id: 'b', content: 'noon' },
          { role: 'system', content: 'In English.' },
        ],
        max_completion_tokens: 100,
        max_tokens: 7,
        temperature: 1.5,
        top_p: 0.9,
        stop: ['END', 'STOP'],
        seed: 3,
        tools: [WEATHER],
        tool_choice: { type: 'function', function: { name: 'weather' } },
        reasoning_effort: 'none',
        logit_bias: { 5: 1 },
      }),
    );
    const [{ url, headers, body } = { url: '', headers: {}, body: {} }] = provider.received;
    expect(url).toBe('/v1beta/models/gemini-2.5-flash:generateContent');
    expect(headers['x-goog-api-key']).toBe('AIza-secret');
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'In English.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Look and listen:' },
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            { fileData: { mimeType: 'image/webp', fileUri: 'https://images.example/cat.webp?size=1' } },
            { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { functionCall: { id: 'a', name: 'weather', args: { place: 'Bern' } } },
            { functionCall: { id: 'b', name: 'clock', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              functionResponse: { id: 'a', name: 'weather', response: { name: 'weather', content: '21 °C' } },
            },
            { functionResponse: { id: 'b', name: 'clock', response: { name: 'clock', content: 'noon' } } },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 1.5,
        topP: 0.9,
        stopSequences: ['END', 'STOP'],
        seed: 3,
        thinkingConfig: { thinkingBudget: 0 },
      },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              description: 'The weather of a place',
              parametersJsonSchema: WEATHER.function.parameters,
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
    });
  });

  test('requests JSON, with or without a schema', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    provider.turns.push(json(200, answer([{ text: '{}' }])), json(200, answer([{ text: '{}' }])));
    await model.complete(callOf({ response_format: { type: 'json_object' } }));
    await model.complete(
      callOf({ response_format: { type: 'json_schema', json_schema: { name: 'city', schema } } }),
    );
    expect(provider.received.map(({ body }) => body)).toMatchObject([
      { generationConfig: { responseMimeType: 'application/json' } },
      { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
    ]);
  });

  test('passes on provider-specific options', async () => {
    provider.turns.push(json(200, answer([{ text: 'Yes.' }])));
    const google = { thinkingConfig: { includeThoughts: true }, cachedContent: 'cachedContents/1' };
    await model.complete(callOf({ provider_options: { google } }));
    expect(provider.received[0]?.body).toMatchObject({
      cachedContent: 'cachedContents/1',
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
  });
});

describe('a whole response of Google', () => {
  const parts = [
    { text: 'Hm.', thought: true },
    { text: 'I look.' },
    { functionCall: { id: 'f1', name: 'weather', args: { place: 'Bern' } }, thoughtSignature: 'c2ln' },
    { functionCall: { name: 'clock', args: {} } },
  ];

  test('becomes a chat completion, with all token counts', async () => {
    provider.turns.push(
      json(200, {
        ...answer(parts),
        usageMetadata: {
          promptTokenCount: 327,
          cachedContentTokenCount: 300,
          candidatesTokenCount: 30,
          thoughtsTokenCount: 11,
          totalTokenCount: 368,
        },
      }),
    );
    const whole = await model.complete(callOf({ tools: [WEATHER] }));
    expect(whole.usage).toEqual({
      inputTokens: 327,
      outputTokens: 41,
      cacheReadInputTokens: 300,
      cacheCreationInputTokens: 0,
    });
    expect(whole.outputLength).toBe('Hm.I look.weather{"place":"Bern"}clock{}'.length);
    expect(completionOf(whole)).toEqual({
      id: 'chatcmpl-0198c0defeed70008000000000000001',
      object: 'chat.completion',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'gemini/flash',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'I look.',
            refusal: null,
            reasoning_content: 'Hm.',
            tool_calls: [
              {
                id: 'f1',
                type: 'function',
                function: { name: 'weather', arguments: '{"place":"Bern"}' },
                extra_content: { google: { thought_signature: 'c2ln' } },
              },
              {
                id: expect.stringMatching(/^\w{8,}$/),
                type: 'function',
                function: { name: 'clock', arguments: '{}' },
              },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 327,
        completion_tokens: 41,
        total_tokens: 368,
        prompt_tokens_details: { cached_tokens: 300 },
        completion_tokens_details: { reasoning_tokens: 11 },
      },
    });
  });

  test('returns the signature of a tool call with the next request', async () => {
    provider.turns.push(json(200, answer(parts.slice(2, 3))), json(200, answer([{ text: 'Warm.' }])));
    const first = completionOf(await model.complete(callOf({ tools: [WEATHER] }))).choices[0].message;
    await model.complete(
      callOf({
        messages: [
          { role: 'user', content: 'Hello' },
          first,
          { role: 'tool', tool_call_id: 'f1', content: '21 °C' },
        ],
      }),
    );
    expect(provider.received[1]?.body).toMatchObject({
      contents: [{}, { role: 'model', parts: [parts[2]] }, {}],
    });
  });

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
  ])('that ended with %s finishes with %s', async (finishReason, expected) => {
    provider.turns.push(json(200, answer([{ text: 'So' }], { finishReason })));
    const { choices } = completionOf(await model.complete(callOf({})));
    expect(choices[0].finish_reason).toBe(expected);
  });

  test('reports that the prompt was blocked', async () => {
    provider.turns.push(
      json(200, { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 10 } }),
    );
    const blocked = await model.complete(callOf({}));
    expect(completionOf(blocked).choices[0]).toMatchObject({
      message: { content: '' },
      finish_reason: 'content_filter',
    });
    expect(blocked.usage).toMatchObject({ inputTokens: 10, outputTokens: 0 });
  });

  test('has no usage when none is reported', async () => {
    const { usageMetadata: _, ...rest } = answer([{ text: 'Hi' }]);
    provider.turns.push(json(200, rest));
    const whole = await model.complete(callOf({}));
    expect(whole.usage).toBeUndefined();
    expect(completionOf(whole)).not.toHaveProperty('usage');
  });
});

describe('a streamed response of Google', () => {
  const pieces = [
    { text: 'Hm.', thought: true },
    { text: 'Zü' },
    { text: 'rich 🌤' },
    { functionCall: { id: 'f1', name: 'weather', args: { place: 'Bern' } }, thoughtSignature: 'c2ln' },
  ].map((part, index) => ({
    candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: index, totalTokenCount: 10 + index },
    responseId: 'Il0taoSYJ5Cez7',
  }));
  const last = {
    ...answer([{ text: '' }]),
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 30, thoughtsTokenCount: 11 },
  };

  test('becomes chunks of a chat completion', async () => {
    provider.turns.push(events(googleEvents(...pieces, last)));
    const body = { stream: true, stream_options: { include_usage: true }, tools: [WEATHER] };
    const { chunks, usage, outputLength } = await chunksOf(model, callOf(body));
    expect(provider.received[0]?.url).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    const head = {
      id: 'chatcmpl-0198c0defeed70008000000000000001',
      object: 'chat.completion.chunk',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'gemini/flash',
    };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      usage: null,
    });
    const called = { id: 'f1', type: 'function', function: { name: 'weather', arguments: '' } };
    const extra_content = { google: { thought_signature: 'c2ln' } };
    expect(chunks).toEqual([
      chunk({ role: 'assistant', content: '', refusal: null }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Zü' }),
      chunk({ content: 'rich 🌤' }),
      chunk({ tool_calls: [{ index: 0, ...called }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"place":"Bern"}' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '' }, extra_content }] }),
      chunk({}, 'tool_calls'),
      {
        ...head,
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 41,
          total_tokens: 51,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 11 },
        },
      },
    ]);
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 41 });
    expect(outputLength).toBe('Hm.Zürich 🌤weather{"place":"Bern"}'.length);
  });

  test('that ends unfinished has the usage counted so far', async () => {
    provider.turns.push(events(googleEvents(...pieces)));
    const seen = { chunks: [], usage: undefined, outputLength: 0 };
    await expect(chunksOf(model, callOf({ stream: true }), seen)).rejects.toMatchObject({
      type: 'bad_gateway_error',
    });
    expect(seen).toMatchObject({ usage: { inputTokens: 10, outputTokens: 3 } });
    expect(seen.chunks).toHaveLength(7);
  });
});
