/** Requests to Anthropic's models, as documented for its Messages API. */
import { describe, expect, test } from 'vitest';
import { json, anthropicMessage as message, useForeignProvider } from '../../../../test/foreign-provider.ts';
import { completionOf, translatedCall, translatedModel, WEATHER } from '../../../../test/translated-calls.ts';

const provider = await useForeignProvider();

const model = translatedModel('anthropic', provider.url);
describe('a translated request to Anthropic', () => {
  test('contains the instructions, texts, images, files, tool calls, results and limits', async () => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'Warm.' }])));
    await model.complete(
      translatedCall({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look:' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
              { type: 'image_url', image_url: { url: 'https://images.example/cat.jpg' } },
              {
                type: 'file',
                file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
              },
            ],
          },
          {
            role: 'assistant',
            content: 'I will look.',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"place":"Bern"}' } },
              { id: 'b', type: 'function', function: { name: 'clock', arguments: '' } },
              { id: 'c', type: 'function', function: { name: 'clock', arguments: '{"half' } },
            ],
          },
          { role: 'tool', tool_call_id: 'a', content: '21 °C' },
          { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'noon' }] },
          { role: 'tool', tool_call_id: 'c', content: 'noon' },
          { role: 'developer', content: [{ type: 'text', text: 'In English.' }] },
          { role: 'user', content: 'So?' },
        ],
        max_tokens: 100,
        temperature: 0.5,
        top_p: 0.9,
        stop: 'END',
        seed: 3,
        user: 'someone',
        tools: [WEATHER],
        tool_choice: { type: 'function', function: { name: 'weather' } },
        parallel_tool_calls: false,
        no_such_field: { at: 'all' },
      }),
    );
    const [{ url, headers, body } = { url: '', headers: {}, body: {} }] = provider.received;
    expect(url).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': 'sk-ant-secret', 'anthropic-version': '2023-06-01' });
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      temperature: 0.5,
      stop_sequences: ['END'],
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'In English.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look:' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'image', source: { type: 'url', url: 'https://images.example/cat.jpg' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              title: 'a.pdf',
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I will look.' },
            { type: 'tool_use', id: 'a', name: 'weather', input: { place: 'Bern' } },
            { type: 'tool_use', id: 'b', name: 'clock', input: {} },
            { type: 'tool_use', id: 'c', name: 'clock', input: { rawInvalidInput: '{"half' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: '21 °C' },
            { type: 'tool_result', tool_use_id: 'b', content: 'noon' },
            { type: 'tool_result', tool_use_id: 'c', content: 'noon' },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
      tools: [
        { name: 'weather', description: 'The weather of a place', input_schema: WEATHER.function.parameters },
      ],
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    });
  });

  test.each([
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
  ])('leaves the tool choice to the model as %s', async (tool_choice, expected) => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'Yes.' }])));
    await model.complete(translatedCall({ tools: [WEATHER], tool_choice }));
    expect(provider.received[0]?.body).toMatchObject({ tool_choice: expected });
  });

  test('uses the limit of the listed model when none is set', async () => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'Yes.' }])));
    await model.complete(translatedCall({}));
    expect(provider.received[0]?.body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 8192,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });

  test('passes on provider-specific options, for the call and for a message', async () => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'Yes.' }])));
    await model.complete(
      translatedCall({
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'text',
                text: 'A long text',
                provider_options: { anthropic: { cacheControl: { type: 'ephemeral' } } },
              },
            ],
          },
        ],
        provider_options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
      }),
    );
    expect(provider.received[0]?.body).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [{ content: [{ text: 'A long text', cache_control: { type: 'ephemeral' } }] }],
    });
  });

  test('requests output that follows a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    provider.turns.push(json(200, message([{ type: 'text', text: '{"city":"Bern"}' }])));
    const { content } = completionOf(
      await model.complete(
        translatedCall({ response_format: { type: 'json_schema', json_schema: { name: 'city', schema } } }),
      ),
    ).choices[0].message;
    expect(content).toBe('{"city":"Bern"}');
    expect(provider.received[0]?.body).toMatchObject({
      output_config: { format: { type: 'json_schema', schema } },
    });
  });

  test('translates the reasoning effort to thinking', async () => {
    provider.turns.push(json(200, message([{ type: 'text', text: 'Yes.' }])));
    await model.complete(translatedCall({ reasoning_effort: 'low' }));
    expect(provider.received[0]?.body).toMatchObject({ thinking: { type: 'enabled' } });
  });
});
