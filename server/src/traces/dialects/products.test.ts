/** Spans with product-specific names: Vercel's AI SDK, OpenLLMetry, and the dreadnode client on Logfire. */
import { describe, expect, test } from 'vitest';
import { type Attributes, decodedSpan, spanSource } from '../../../test/decoded-spans.ts';
import { interpret } from './interpret.ts';
import { readMessages } from './messages.ts';

const factsOf = (attributes: Attributes) => interpret(decodedSpan({ attributes }), spanSource({}));

const messagesOf = (attributes: Record<string, unknown>) => readMessages(attributes, []);

describe('the dreadnode client', () => {
  test.each([
    ['task', 'task', null],
    ['evaluation', 'evaluation', null],
    ['agent', 'agent', 'invoke_agent'],
    ['study', 'study', null],
    ['trial', 'trial', null],
    ['sample', 'sample', null],
    ['transform', 'transform', null],
    ['tool', 'tool', 'execute_tool'],
    ['generation', 'llm', 'dreadnode.generation'],
    ['scorer', 'evaluator', null],
    ['span', 'span', null],
    ['constraint', 'span', null],
  ])('interpret reads the type %s as %s', (type, spanType, operation) => {
    expect(factsOf({ 'dreadnode.type': type })).toMatchObject({ spanType, operation });
  });

  test('interpret derives the type of a "span" span from its other attributes', () => {
    const attributes = { 'dreadnode.type': 'span', 'gen_ai.request.model': 'gpt' };
    expect(factsOf(attributes)).toMatchObject({ spanType: 'llm', model: 'gpt' });
  });

  test('interpret reads the model, tokens, conversation and response id of a generation', () => {
    const attributes = {
      'dreadnode.type': 'generation',
      'dreadnode.generation.model': 'openai/sim/echo',
      'dreadnode.generation.input_tokens': 21,
      'dreadnode.generation.output_tokens': 2,
      'dreadnode.generation.content': 'Hello there',
      'dreadnode.session.id': 'df400306-0000-4000-8000-000000000001',
    };
    expect(factsOf(attributes)).toMatchObject({
      spanType: 'llm',
      model: 'openai/sim/echo',
      inputTokens: 21,
      outputTokens: 2,
      conversationId: 'df400306-0000-4000-8000-000000000001',
      outputPreview: 'Hello there',
    });
    expect(messagesOf(attributes).output).toEqual([{ role: 'assistant', content: 'Hello there' }]);
  });

  test('interpret reads agents, tools and the project named by a span', () => {
    expect(
      factsOf({
        'dreadnode.type': 'agent',
        'dreadnode.agent.name': 'scout',
        'dreadnode.agent.model': 'openai/sim/echo',
        'dreadnode.project': 'lab',
      }),
    ).toMatchObject({ spanType: 'agent', agentName: 'scout', model: 'openai/sim/echo', project: 'lab' });
    const tool = {
      'dreadnode.type': 'tool',
      'dreadnode.tool.name': 'add',
      'dreadnode.tool.call_id': 'call_1',
      'dreadnode.tool.arguments': '{"a":1}',
      'dreadnode.tool.result': '3',
    };
    expect(factsOf(tool)).toMatchObject({ spanType: 'tool', toolName: 'add' });
    expect(messagesOf(tool)).toEqual({
      input: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', name: 'add', arguments: { a: 1 } }],
        },
      ],
      output: [{ role: 'tool', content: '3', tool_call_id: 'call_1', name: 'add' }],
    });
  });

  test.each([
    ['pending_span', true],
    ['span', false],
    ['log', false],
  ])('interpret detects pending Logfire spans by the type %s', (type, isPending) => {
    expect(factsOf({ 'logfire.span_type': type })).toMatchObject({ isPending });
  });
});

describe('the model', () => {
  test.each([
    ['echo', 'sim/echo', 'sim/echo'],
    ['gpt-5-2026-08-07', 'gpt-5', 'gpt-5-2026-08-07'],
    ['echo', 'simecho', 'echo'],
    ['echo', undefined, 'echo'],
    [undefined, 'sim/echo', 'sim/echo'],
  ])(
    'interpret with response model %s and request model %s returns %s',
    (responseModel, requestModel, model) => {
      const attributes = {
        ...(responseModel && { 'gen_ai.response.model': responseModel }),
        ...(requestModel && { 'gen_ai.request.model': requestModel }),
      };
      expect(factsOf(attributes)).toMatchObject({ spanType: 'llm', model });
    },
  );

  test('interpret reads the model of a refused OpenInference call from its parameters', () => {
    const attributes = {
      'openinference.span.kind': 'LLM',
      'llm.invocation_parameters': '{"temperature": 0, "model": "nope"}',
    };
    expect(factsOf(attributes)).toMatchObject({ spanType: 'llm', model: 'nope' });
    expect(factsOf({ ...attributes, 'llm.model_name': 'named' })).toMatchObject({ model: 'named' });
  });
});

describe('the AI SDK', () => {
  const TOOL = {
    'ai.operationId': 'ai.toolCall',
    'ai.toolCall.name': 'add',
    'ai.toolCall.id': 'call_1',
    'ai.toolCall.args': '{"a":6,"b":7}',
    'ai.toolCall.result': '13',
  };

  test('interpret reads a tool call', () => {
    expect(factsOf(TOOL)).toMatchObject({ spanType: 'tool', operation: 'execute_tool', toolName: 'add' });
    expect(messagesOf(TOOL)).toMatchObject({
      input: [{ tool_calls: [{ id: 'call_1', name: 'add', arguments: { a: 6, b: 7 } }] }],
      output: [{ role: 'tool', content: '13', tool_call_id: 'call_1' }],
    });
  });

  test.each([
    ['ai.generateText', 'chain'],
    ['ai.streamText', 'chain'],
    ['ai.generateText.doGenerate', 'llm'],
    ['ai.streamText.doStream', 'llm'],
    ['ai.embed', 'chain'],
    ['ai.embed.doEmbed', 'embedding'],
  ])('interpret reads %s as %s', (operation, spanType) => {
    expect(factsOf({ 'ai.operationId': operation })).toMatchObject({ spanType });
  });

  test('readMessages reads prompts, responses, tool calls and tool results', () => {
    const attributes = {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': JSON.stringify([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'What is 6 + 7?' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'add', input: { a: 6, b: 7 } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_1',
              toolName: 'add',
              output: { type: 'text', value: '13' },
            },
          ],
        },
      ]),
      'ai.response.text': 'That makes 13.',
      'ai.response.toolCalls': '[{"toolCallId":"call_2","toolName":"add","input":"{\\"a\\":1}"}]',
    };
    expect(messagesOf(attributes)).toEqual({
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is 6 + 7?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', name: 'add', arguments: { a: 6, b: 7 } }],
        },
        { role: 'tool', content: '13', tool_call_id: 'call_1' },
      ],
      output: [
        {
          role: 'assistant',
          content: 'That makes 13.',
          tool_calls: [{ id: 'call_2', name: 'add', arguments: { a: 1 } }],
        },
      ],
    });
    expect(factsOf(attributes)).toMatchObject({
      inputPreview: 'What is 6 + 7?',
      outputPreview: 'That makes 13.',
    });
  });

  test('readMessages reads the prompt of the function that the application called', () => {
    const attributes = { 'ai.prompt': '{"system":"Be brief.","prompt":"What is 6 + 7?"}' };
    expect(messagesOf(attributes).input).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is 6 + 7?' },
    ]);
  });
});
