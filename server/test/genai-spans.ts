/** One model call that asks for the weather, as instrumentations of each convention report it. */
import type { PlainSpan } from './decoded-spans.ts';

const QUESTION = "What's the weather in Paris?";
const ARGUMENTS = '{"location":"Paris"}';

/** OpenAI's instrumentation before 1.37: one event per message, with the body in attributes that hold no objects. */
export const GENAI_EVENTS: PlainSpan = {
  attributes: {
    'gen_ai.system': 'openai',
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.request.max_tokens': 200,
    'gen_ai.response.model': 'gpt-4o-2024-08-06',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.usage.input_tokens': 47,
    'gen_ai.usage.output_tokens': 17,
  },
  events: [
    { name: 'gen_ai.system.message', attributes: { content: 'You help with the weather.' } },
    { name: 'gen_ai.user.message', attributes: { 'gen_ai.system': 'openai', content: QUESTION } },
    {
      name: 'gen_ai.assistant.message',
      attributes: {
        tool_calls: JSON.stringify([
          { id: 'call_0', type: 'function', function: { name: 'geocode', arguments: '{"city":"Paris"}' } },
        ]),
      },
    },
    { name: 'gen_ai.tool.message', attributes: { id: 'call_0', content: '48.9, 2.4' } },
    {
      name: 'gen_ai.choice',
      attributes: {
        index: 0,
        finish_reason: 'tool_calls',
        message: JSON.stringify({
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: ARGUMENTS } },
          ],
        }),
      },
    },
  ],
};

/** The first version: no operation, early token attributes, all messages of a direction in one event. */
export const GENAI_CONTENT_EVENTS: PlainSpan = {
  attributes: {
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-4',
    'gen_ai.response.model': 'gpt-4-0613',
    'gen_ai.usage.prompt_tokens': 52,
    'gen_ai.usage.completion_tokens': 47,
  },
  events: [
    {
      name: 'gen_ai.content.prompt',
      attributes: {
        'gen_ai.prompt': JSON.stringify([
          { role: 'system', content: 'You are a helpful bot' },
          { role: 'user', content: QUESTION },
        ]),
      },
    },
    { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': 'It rains in Paris.' } },
  ],
};

export const OPENLLMETRY: PlainSpan = {
  attributes: {
    'gen_ai.system': 'Anthropic',
    'llm.request.type': 'chat',
    'gen_ai.request.model': 'claude-sonnet-4',
    'gen_ai.response.model': 'claude-sonnet-4-20250514',
    'gen_ai.prompt.0.role': 'system',
    'gen_ai.prompt.0.content': 'You help with the weather.',
    'gen_ai.prompt.1.role': 'user',
    'gen_ai.prompt.1.content': JSON.stringify([{ type: 'text', text: QUESTION }]),
    'gen_ai.prompt.2.role': 'assistant',
    'gen_ai.prompt.2.tool_calls.0.id': 'call_0',
    'gen_ai.prompt.2.tool_calls.0.name': 'geocode',
    'gen_ai.prompt.2.tool_calls.0.arguments': '{"city":"Paris"}',
    'gen_ai.prompt.10.role': 'tool',
    'gen_ai.prompt.10.tool_call_id': 'call_0',
    'gen_ai.prompt.10.content': '48.9, 2.4',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.finish_reason': 'tool_use',
    'gen_ai.completion.0.tool_calls.0.id': 'call_1',
    'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
    'gen_ai.completion.0.tool_calls.0.arguments': ARGUMENTS,
    'gen_ai.usage.prompt_tokens': 100,
    'gen_ai.usage.completion_tokens': 20,
    'gen_ai.usage.cache_read_input_tokens': 80,
    'gen_ai.usage.cache_creation_input_tokens': 40,
    'llm.usage.total_tokens': 120,
    'traceloop.association.properties.user': 'u1',
  },
};

const INPUT_MESSAGES = [
  { role: 'user', parts: [{ type: 'text', content: QUESTION }] },
  {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'call_0', name: 'geocode', arguments: { city: 'Paris' } }],
  },
  { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_0', response: '48.9, 2.4' }] },
];

const OUTPUT_MESSAGES = [
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', content: 'Paris, so France.' },
      { type: 'text', content: 'Let me look.' },
      { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { location: 'Paris' } },
    ],
    finish_reason: 'tool_call',
  },
];

const LATEST = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'anthropic',
  'gen_ai.request.model': 'claude-sonnet-4',
  'gen_ai.response.model': 'claude-sonnet-4-20250514',
  'gen_ai.conversation.id': 'conv_5j66UpCpwteGg4YSxUnt7lPY',
  'gen_ai.agent.name': 'Weather',
  'gen_ai.usage.input_tokens': 1200,
  'gen_ai.usage.output_tokens': 30,
  'gen_ai.usage.cache_read.input_tokens': 1000,
  'gen_ai.usage.cache_creation.input_tokens': 100,
};

export const GENAI_LATEST: PlainSpan = {
  attributes: {
    ...LATEST,
    'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'You help with the weather.' }]),
    'gen_ai.input.messages': JSON.stringify(INPUT_MESSAGES),
    'gen_ai.output.messages': JSON.stringify(OUTPUT_MESSAGES),
  },
};

export const GENAI_LATEST_STRUCTURED: PlainSpan = {
  attributes: {
    ...LATEST,
    'gen_ai.system_instructions': [{ type: 'text', content: 'You help with the weather.' }],
    'gen_ai.input.messages': INPUT_MESSAGES,
    'gen_ai.output.messages': OUTPUT_MESSAGES,
  },
};

export const GENAI_LATEST_EVENT: PlainSpan = {
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' },
  events: [
    {
      name: 'gen_ai.client.inference.operation.details',
      attributes: {
        ...LATEST,
        'gen_ai.provider.name': 'not this',
        'gen_ai.system_instructions': [{ type: 'text', content: 'You help with the weather.' }],
        'gen_ai.input.messages': INPUT_MESSAGES,
        'gen_ai.output.messages': OUTPUT_MESSAGES,
      },
    },
  ],
};

export const OPENINFERENCE: PlainSpan = {
  attributes: {
    'openinference.span.kind': 'LLM',
    'llm.system': 'openai',
    'llm.provider': 'azure',
    'llm.model_name': 'gpt-4o',
    'llm.invocation_parameters': '{"temperature":0}',
    'llm.input_messages.0.message.role': 'system',
    'llm.input_messages.0.message.content': 'You help with the weather.',
    'llm.input_messages.1.message.role': 'user',
    'llm.input_messages.1.message.contents.0.message_content.type': 'text',
    'llm.input_messages.1.message.contents.0.message_content.text': QUESTION,
    'llm.input_messages.1.message.contents.1.message_content.type': 'image',
    'llm.input_messages.1.message.contents.1.message_content.image.image.url': 'https://example.com/a.png',
    'llm.input_messages.2.message.role': 'assistant',
    'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'call_0',
    'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'geocode',
    'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"city":"Paris"}',
    'llm.input_messages.3.message.role': 'tool',
    'llm.input_messages.3.message.tool_call_id': 'call_0',
    'llm.input_messages.3.message.name': 'geocode',
    'llm.input_messages.3.message.content': '48.9, 2.4',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'call_1',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': ARGUMENTS,
    'input.value': '{"messages":[]}',
    'input.mime_type': 'application/json',
    'output.value': '{}',
    'llm.token_count.prompt': 47,
    'llm.token_count.completion': 17,
    'llm.token_count.total': 64,
    'llm.token_count.prompt_details.cache_read': 40,
    'llm.token_count.prompt_details.cache_write': 0,
    'llm.cost.prompt': 0.0021,
    'llm.cost.completion': 0.0045,
    'llm.cost.total': 0.0066,
    'session.id': '26bcd3d2-cad2-443d-a23c-625e47f3324a',
    'user.id': 'u1',
  },
};
