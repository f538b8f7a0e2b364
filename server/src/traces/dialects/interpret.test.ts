import { expect, test } from 'vitest';
import { type Attributes, decodedSpan, type PlainSpan, spanSource } from '../../../test/decoded-spans.ts';
import * as spans from '../../../test/genai-spans.ts';
import { Double } from '../otlp/model.ts';
import type { SpanFacts } from './facts.ts';
import { interpret } from './interpret.ts';

const NOTHING: SpanFacts = {
  spanType: 'span',
  operation: null,
  provider: null,
  model: null,
  agentName: null,
  toolName: null,
  conversationId: null,
  assessmentId: null,
  project: null,
  isPending: false,
  inputTokens: null,
  outputTokens: null,
  cacheReadInputTokens: null,
  cacheCreationInputTokens: null,
  costUsd: null,
  inferenceCallId: null,
  inputPreview: null,
  outputPreview: null,
};

const facts = (span: PlainSpan, resource: Attributes = {}) =>
  interpret(decodedSpan(span), spanSource(resource));

const ofAttributes = (attributes: Attributes) => facts({ attributes });

const QUESTION = "What's the weather in Paris?";

const LATEST: SpanFacts = {
  ...NOTHING,
  spanType: 'llm',
  operation: 'chat',
  provider: 'anthropic',
  model: 'claude-sonnet-4-20250514',
  agentName: 'Weather',
  conversationId: 'conv_5j66UpCpwteGg4YSxUnt7lPY',
  inputTokens: 1200,
  outputTokens: 30,
  cacheReadInputTokens: 1000,
  cacheCreationInputTokens: 100,
  inputPreview: QUESTION,
  outputPreview: 'Let me look.',
};

test.each<[string, PlainSpan, Partial<SpanFacts>]>([
  ['nothing about models', { attributes: { 'http.request.method': 'GET', 'url.path': '/' } }, {}],
  [
    'events of messages',
    spans.GENAI_EVENTS,
    {
      spanType: 'llm',
      operation: 'chat',
      provider: 'openai',
      model: 'gpt-4o-2024-08-06',
      inputTokens: 47,
      outputTokens: 17,
      inputPreview: QUESTION,
      outputPreview: 'get_weather',
    },
  ],
  [
    'events of content',
    spans.GENAI_CONTENT_EVENTS,
    {
      spanType: 'llm',
      provider: 'openai',
      model: 'gpt-4-0613',
      inputTokens: 52,
      outputTokens: 47,
      inputPreview: QUESTION,
      outputPreview: 'It rains in Paris.',
    },
  ],
  [
    'OpenLLMetry, whose tokens do not count cached ones',
    spans.OPENLLMETRY,
    {
      spanType: 'llm',
      operation: 'chat',
      provider: 'Anthropic',
      model: 'claude-sonnet-4-20250514',
      inputTokens: 220,
      outputTokens: 20,
      cacheReadInputTokens: 80,
      cacheCreationInputTokens: 40,
      inputPreview: QUESTION,
      outputPreview: 'get_weather',
    },
  ],
  ['messages in JSON', spans.GENAI_LATEST, LATEST],
  ['messages in values', spans.GENAI_LATEST_STRUCTURED, LATEST],
  ['messages in the event of details', spans.GENAI_LATEST_EVENT, LATEST],
  [
    'OpenInference',
    spans.OPENINFERENCE,
    {
      spanType: 'llm',
      operation: 'chat',
      provider: 'azure',
      model: 'gpt-4o',
      conversationId: '26bcd3d2-cad2-443d-a23c-625e47f3324a',
      inputTokens: 47,
      outputTokens: 17,
      cacheReadInputTokens: 40,
      cacheCreationInputTokens: 0,
      costUsd: 0.0066,
      inputPreview: QUESTION,
      outputPreview: 'get_weather',
    },
  ],
  [
    'a tool of GenAI',
    {
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'get_weather',
        'gen_ai.tool.call.id': 'call_1',
        'gen_ai.tool.call.arguments': '{"location":"Paris"}',
        'gen_ai.tool.call.result': 'rainy, 57°F',
      },
    },
    {
      spanType: 'tool',
      operation: 'execute_tool',
      toolName: 'get_weather',
      inputPreview: '{"location":"Paris"}',
      outputPreview: 'rainy, 57°F',
    },
  ],
  [
    'a tool of OpenInference',
    {
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'get_weather',
        'input.value': '{"location":"Paris"}',
        'output.value': 'rainy',
      },
    },
    {
      spanType: 'tool',
      operation: 'execute_tool',
      toolName: 'get_weather',
      inputPreview: '{"location":"Paris"}',
      outputPreview: 'rainy',
    },
  ],
  [
    'an agent of OpenLLMetry',
    {
      attributes: {
        'traceloop.span.kind': 'agent',
        'traceloop.entity.name': 'planner',
        'traceloop.entity.input': 'Plan it',
      },
    },
    { spanType: 'agent', operation: 'invoke_agent', agentName: 'planner', inputPreview: 'Plan it' },
  ],
])('%s', (_name, span, expected) => {
  expect(facts(span)).toEqual({ ...NOTHING, ...expected });
});

test.each([
  ['chat', 'llm'],
  ['text_completion', 'llm'],
  ['generate_content', 'llm'],
  ['embeddings', 'embedding'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'chain'],
  ['retrieval', 'retriever'],
  ['my_own', 'span'],
])('operation %s is of the type %s', (operation, type) => {
  expect(ofAttributes({ 'gen_ai.operation.name': operation })).toMatchObject({ operation, spanType: type });
});

test.each([
  ['LLM', 'llm', 'chat'],
  ['EMBEDDING', 'embedding', 'embeddings'],
  ['CHAIN', 'chain', null],
  ['RETRIEVER', 'retriever', 'retrieval'],
  ['RERANKER', 'reranker', null],
  ['TOOL', 'tool', 'execute_tool'],
  ['AGENT', 'agent', 'invoke_agent'],
  ['GUARDRAIL', 'guardrail', null],
  ['EVALUATOR', 'evaluator', null],
  ['PROMPT', 'prompt', null],
  ['UNKNOWN', 'span', null],
  ['agent', 'agent', 'invoke_agent'],
])('kind %s of OpenInference is of the type %s', (kind, spanType, operation) => {
  expect(ofAttributes({ 'openinference.span.kind': kind })).toMatchObject({ spanType, operation });
});

test('interpret uses the span kind when the operation is unknown to the conventions', () => {
  const attributes = { 'gen_ai.operation.name': 'rank_all', 'openinference.span.kind': 'RERANKER' };
  expect(ofAttributes(attributes)).toMatchObject({ operation: 'rank_all', spanType: 'reranker' });
});

test('interpret prefers the newer attribute, whatever the order of attributes', () => {
  const attributes: Attributes = {
    'gen_ai.usage.input_tokens': 5,
    'gen_ai.usage.prompt_tokens': 4,
    'llm.token_count.prompt': 3,
    'gen_ai.system': 'old',
    'gen_ai.provider.name': 'new',
    'llm.provider': 'other',
    'session.id': 'old',
    'gen_ai.conversation.id': 'new',
    'gen_ai.prompt.0.content': 'old',
    'gen_ai.input.messages': 'new',
    'llm.input_messages.0.message.content': 'other',
  };
  const expected = { inputTokens: 5, provider: 'new', conversationId: 'new', inputPreview: 'new' };
  expect(ofAttributes(attributes)).toMatchObject(expected);
  const reversed = Object.fromEntries(Object.entries(attributes).toReversed());
  expect(ofAttributes(reversed)).toMatchObject(expected);
});

test('interpret ignores a newer attribute with an unusable value', () => {
  expect(
    ofAttributes({
      'gen_ai.provider.name': ' ',
      'gen_ai.system': 'openai',
      'gen_ai.usage.input_tokens': 'many',
      'gen_ai.usage.prompt_tokens': 4,
    }),
  ).toMatchObject({ provider: 'openai', inputTokens: 4 });
});

test('interpret takes the conversation id from the span, else from its resource', () => {
  const resource = { 'session.id': 'of the resource' };
  expect(facts({}, resource).conversationId).toBe('of the resource');
  expect(facts({ attributes: { 'session.id': 'own' } }, resource).conversationId).toBe('own');
  expect(facts({ attributes: { 'session.id': 42 } }).conversationId).toBe('42');
});

test.each<[unknown, number | null]>([
  [0, 0],
  [12, 12],
  ['12', 12],
  [' 12.0 ', 12],
  [new Double(12), 12],
  [new Double(12.5), null],
  [new Double(Number.NaN), null],
  [new Double(Number.POSITIVE_INFINITY), null],
  [new Double(-0), 0],
  [-1, null],
  [9_007_199_254_740_993n, null],
  [2 ** 53, null],
  [5_000_000_000, null],
  ['', null],
  ['12 tokens', null],
  ['-3', null],
  ['99999999999', null],
  [true, null],
  [null, null],
  [[12], null],
])('interpret reads %s tokens as %s', (given, expected) => {
  const attributes = { 'gen_ai.usage.output_tokens': given } as Attributes;
  expect(ofAttributes(attributes).outputTokens).toBe(expected);
});

test.each<[Record<string, unknown>, number | null]>([
  [{ 'gen_ai.usage.cost': new Double(0.25) }, 0.25],
  [{ 'gen_ai.usage.cost': '1e-7' }, 1e-7],
  [{ 'gen_ai.usage.cost': 2, 'llm.cost.total': new Double(3) }, 2],
  [{ 'gen_ai.usage.total_cost': new Double(0.5) }, 0.5],
  [{ 'operation.cost': new Double(0.5) }, 0.5],
  [{ 'llm.cost.prompt': new Double(0.25), 'llm.cost.completion': new Double(0.5) }, 0.75],
  [{ 'gen_ai.usage.input_cost': new Double(0.25) }, 0.25],
  [{ 'llm.cost.total': new Double(-1) }, null],
  [{ 'llm.cost.total': new Double(Number.NaN) }, null],
  [{ 'llm.cost.total': new Double(1e300) }, null],
  [{ 'llm.cost.total': '€ 3' }, null],
])('interpret reads the cost of %o as %s', (attributes, expected) => {
  expect(ofAttributes(attributes as Attributes).costUsd).toBe(expected);
});

test('interpret adds cached tokens to input tokens that exclude them', () => {
  const cached = {
    'gen_ai.usage.cache_read.input_tokens': 80,
    'gen_ai.usage.cache_creation.input_tokens': 20,
  };
  expect(ofAttributes({ ...cached, 'gen_ai.usage.input_tokens': 100 }).inputTokens).toBe(100);
  expect(ofAttributes({ ...cached, 'gen_ai.usage.input_tokens': 99 }).inputTokens).toBe(199);
  expect(ofAttributes(cached).inputTokens).toBeNull();
});

test('interpret truncates texts at character boundaries and makes them storable', () => {
  const long = ofAttributes({
    'gen_ai.request.model': `${'m'.repeat(254)}😀😀`,
    'gen_ai.input.messages': `${'x'.repeat(255)}😀`,
  });
  expect(long.model).toBe('m'.repeat(254));
  expect(long.inputPreview).toBe('x'.repeat(255));
  const odd = ofAttributes({ 'gen_ai.request.model': 'a\0b\uD800', 'gen_ai.input.messages': 'c\0\uDC00' });
  expect(odd).toMatchObject({ model: 'a\uFFFDb\uFFFD', inputPreview: 'c\uFFFD\uFFFD' });
});

test.each([
  ['plan', 'chain'],
  ['search_memory', 'retriever'],
  ['update_memory', 'span'],
  ['fetch_response', 'span'],
  ['something_new', 'llm'],
])('interpret maps the provider operation %s to the span type %s', (operation, spanType) => {
  const attributes = { 'gen_ai.operation.name': operation, 'gen_ai.provider.name': 'openai' };
  expect(ofAttributes(attributes)).toMatchObject({ operation, spanType });
});

test.each([
  ['gen_ai.usage.cache_write_input_tokens', 'cacheCreationInputTokens'],
  ['llm.token_count.prompt_details.cache_input', 'cacheReadInputTokens'],
])('interpret reads %s as a count of cached tokens', (name, fact) => {
  expect(ofAttributes({ [name]: 30, 'gen_ai.usage.input_tokens': 100 })).toMatchObject({
    [fact]: 30,
    inputTokens: 100,
  });
});

test.each([
  ['chatcmpl-0199a0b1c2d37e4f8a5b6c7d8e9f0a1b', '0199a0b1c2d37e4f8a5b6c7d8e9f0a1b'],
  // Not a UUIDv7, or not a gateway id.
  ['chatcmpl-0199a0b1c2d34e4f8a5b6c7d8e9f0a1b', null],
  ['chatcmpl-0199a0b1c2d37e4fca5b6c7d8e9f0a1b', null],
  ['chatcmpl-0199A0B1C2D37E4F8A5B6C7D8E9F0A1B', null],
  ['chatcmpl-0199a0b1c2d37e4f8a5b6c7d8e9f0a1b0', null],
  ['chatcmpl-AbCdEf123', null],
  ['0199a0b1-c2d3-7e4f-8a5b-6c7d8e9f0a1b', null],
])('interpret maps the response id %s to the call %s', (id, call) => {
  expect(ofAttributes({ 'gen_ai.response.id': id }).inferenceCallId).toBe(call);
});
