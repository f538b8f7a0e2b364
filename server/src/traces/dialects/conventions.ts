/**
 * Maps the attribute names of each convention to the fact that they carry: GenAI from 1.37 on, GenAI before that with the OpenLLMetry
 * additions, OpenInference, Vercel's AI SDK, and the dreadnode client, which uses Logfire. When a span has several names for one fact, the
 * newer name (the one with the higher rank) wins.
 */
import type { AnyValue } from '../otlp/model.ts';
import type { SpanType } from '../span-types.ts';
import { toAmount, toCount, toName } from './scalars.ts';

export const SLOT = {
  operation: 0,
  provider: 1,
  model: 2,
  agentName: 3,
  toolName: 4,
  conversationId: 5,
  inputTokens: 6,
  outputTokens: 7,
  cacheReadInputTokens: 8,
  cacheCreationInputTokens: 9,
  cost: 10,
  inputCost: 11,
  outputCost: 12,
  kind: 13,
  entityKind: 14,
  entityName: 15,
  requestType: 16,
  inputMessages: 17,
  outputMessages: 18,
  toolArguments: 19,
  toolResult: 20,
  prompt: 21,
  completion: 22,
  llmInputMessages: 23,
  llmOutputMessages: 24,
  inputValue: 25,
  outputValue: 26,
  responseId: 27,
  assessmentId: 28,
  responseModel: 29,
  invocationParameters: 30,
  sdkOperation: 31,
  clientType: 32,
  project: 33,
  pending: 34,
} as const;

export const SLOT_COUNT = 35;

export type Slot = (typeof SLOT)[keyof typeof SLOT];

export interface Rule {
  readonly slot: Slot;
  readonly rank: number;
  /** @returns null for a value of the wrong type */
  readonly read: (value: AnyValue) => AnyValue;
}

const asIs = (value: AnyValue) => value;

/** Lists the names of each slot, the newest first. */
const NAMES: readonly (readonly [Slot, (value: AnyValue) => AnyValue, readonly string[]])[] = [
  [SLOT.operation, toName, ['gen_ai.operation.name']],
  [SLOT.provider, toName, ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system']],
  [
    SLOT.model,
    toName,
    [
      'gen_ai.request.model',
      'llm.response.model_name',
      'llm.model_name',
      'llm.request.model_name',
      'embedding.model_name',
      'reranker.model_name',
      'dreadnode.generation.model',
      'dreadnode.agent.model',
    ],
  ],
  [SLOT.responseModel, toName, ['gen_ai.response.model']],
  [SLOT.invocationParameters, asIs, ['llm.invocation_parameters']],
  [SLOT.sdkOperation, toName, ['ai.operationId']],
  [SLOT.clientType, toName, ['dreadnode.type']],
  [SLOT.project, toName, ['dreadnode.project']],
  [SLOT.pending, toName, ['logfire.span_type']],
  [SLOT.agentName, toName, ['gen_ai.agent.name', 'agent.name', 'dreadnode.agent.name']],
  [
    SLOT.toolName,
    toName,
    ['gen_ai.tool.name', 'tool.name', 'tool_call.function.name', 'ai.toolCall.name', 'dreadnode.tool.name'],
  ],
  [
    SLOT.conversationId,
    toName,
    ['gen_ai.conversation.id', 'session.id', 'dreadnode.session.id', 'dreadnode.agent.session_id'],
  ],
  // Red-team clients name the assessment that they report to.
  [SLOT.assessmentId, toName, ['dreadnode.airt.assessment_id', 'airt.assessment_id', 'assessment_id']],
  [
    SLOT.inputTokens,
    toCount,
    [
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.prompt_tokens',
      'llm.token_count.prompt',
      'llm.usage.prompt_tokens',
      'dreadnode.generation.input_tokens',
    ],
  ],
  [
    SLOT.outputTokens,
    toCount,
    [
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.completion_tokens',
      'llm.token_count.completion',
      'llm.usage.completion_tokens',
      'dreadnode.generation.output_tokens',
    ],
  ],
  [
    SLOT.cacheReadInputTokens,
    toCount,
    [
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_read_input_tokens',
      'gen_ai.usage.details.cache_read_tokens',
      'gen_ai.usage.input_tokens.cached',
      'gen_ai.usage.cached_tokens',
      'llm.token_count.prompt_details.cache_read',
      'llm.token_count.prompt_details.cache_input',
    ],
  ],
  [
    SLOT.cacheCreationInputTokens,
    toCount,
    [
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.cache_creation_input_tokens',
      'gen_ai.usage.cache_write_input_tokens',
      'gen_ai.usage.details.cache_write_tokens',
      'gen_ai.usage.input_tokens.cache_write',
      'llm.token_count.prompt_details.cache_write',
    ],
  ],
  [
    SLOT.cost,
    toAmount,
    [
      'gen_ai.usage.cost',
      'gen_ai.usage.total_cost',
      'gen_ai.usage.cost_usd',
      'gen_ai.cost.total',
      'gen_ai.cost.usd',
      'operation.cost',
      'llm.cost.total',
    ],
  ],
  [SLOT.inputCost, toAmount, ['gen_ai.usage.input_cost', 'gen_ai.cost.input', 'llm.cost.prompt']],
  [SLOT.outputCost, toAmount, ['gen_ai.usage.output_cost', 'gen_ai.cost.output', 'llm.cost.completion']],
  [SLOT.kind, toName, ['openinference.span.kind']],
  [SLOT.entityKind, toName, ['traceloop.span.kind']],
  [SLOT.entityName, toName, ['traceloop.entity.name']],
  [SLOT.requestType, toName, ['llm.request.type']],
  [SLOT.inputMessages, asIs, ['gen_ai.input.messages']],
  [SLOT.outputMessages, asIs, ['gen_ai.output.messages']],
  [SLOT.toolArguments, asIs, ['gen_ai.tool.call.arguments', 'ai.toolCall.args', 'dreadnode.tool.arguments']],
  [SLOT.toolResult, asIs, ['gen_ai.tool.call.result', 'ai.toolCall.result', 'dreadnode.tool.result']],
  [SLOT.prompt, asIs, ['gen_ai.prompt']],
  [SLOT.completion, asIs, ['gen_ai.completion']],
  [SLOT.llmInputMessages, asIs, ['llm.input_messages']],
  [SLOT.llmOutputMessages, asIs, ['llm.output_messages']],
  [
    SLOT.inputValue,
    asIs,
    [
      'input.value',
      'gen_ai.retrieval.query.text',
      'reranker.query',
      'tool_call.function.arguments',
      'tool.parameters',
      'traceloop.entity.input',
      'ai.prompt.messages',
      'ai.prompt',
    ],
  ],
  [
    SLOT.outputValue,
    asIs,
    [
      'output.value',
      'traceloop.entity.output',
      'ai.response.text',
      'ai.response.object',
      'ai.response.toolCalls',
      'dreadnode.generation.content',
    ],
  ],
  [SLOT.responseId, toName, ['gen_ai.response.id']],
];

export const RULES: ReadonlyMap<string, Rule> = new Map(
  NAMES.flatMap(([slot, read, names]) =>
    names.map((name, index) => [name, { slot, rank: names.length - index, read }] as const),
  ),
);

export const TYPE_OF_OPERATION: ReadonlyMap<string, SpanType> = new Map([
  ['chat', 'llm'],
  ['text_completion', 'llm'],
  ['generate_content', 'llm'],
  ['completion', 'llm'],
  ['embeddings', 'embedding'],
  ['embedding', 'embedding'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'chain'],
  ['plan', 'chain'],
  ['retrieval', 'retriever'],
  ['search_memory', 'retriever'],
  // These operations name a provider but call no model.
  ['create_memory', 'span'],
  ['update_memory', 'span'],
  ['upsert_memory', 'span'],
  ['delete_memory', 'span'],
  ['create_memory_store', 'span'],
  ['delete_memory_store', 'span'],
  ['fetch_response', 'span'],
  ['rerank', 'reranker'],
  ['guardrail', 'guardrail'],
  ['evaluate', 'evaluator'],
]);

/** Maps OpenInference span kinds to a span type and, where the GenAI conventions name one, an operation. */
export const MEANING_OF_KIND: ReadonlyMap<string, readonly [SpanType, string | null]> = new Map([
  ['LLM', ['llm', 'chat']],
  ['EMBEDDING', ['embedding', 'embeddings']],
  ['CHAIN', ['chain', null]],
  ['RETRIEVER', ['retriever', 'retrieval']],
  ['RERANKER', ['reranker', null]],
  ['TOOL', ['tool', 'execute_tool']],
  ['AGENT', ['agent', 'invoke_agent']],
  ['GUARDRAIL', ['guardrail', null]],
  ['EVALUATOR', ['evaluator', null]],
  ['PROMPT', ['prompt', null]],
]);

/** Maps OpenLLMetry's kinds for the framework functions that surround model calls. */
export const MEANING_OF_ENTITY_KIND: ReadonlyMap<string, readonly [SpanType, string | null]> = new Map([
  ['workflow', ['chain', 'invoke_workflow']],
  ['task', ['chain', null]],
  ['agent', ['agent', 'invoke_agent']],
  ['tool', ['tool', 'execute_tool']],
]);

/** Maps OpenLLMetry's request types to operations. */
export const OPERATION_OF_REQUEST_TYPE: ReadonlyMap<string, string> = new Map([
  ['chat', 'chat'],
  ['completion', 'text_completion'],
  ['embedding', 'embeddings'],
  ['rerank', 'rerank'],
]);

/** Maps the operations of the AI SDK. The function that the application called is a chain around the spans that call a model. */
export const MEANING_OF_SDK_OPERATION: ReadonlyMap<string, readonly [SpanType, string | null]> = new Map([
  ['ai.toolCall', ['tool', 'execute_tool']],
  ['ai.generateText', ['chain', null]],
  ['ai.streamText', ['chain', null]],
  ['ai.generateObject', ['chain', null]],
  ['ai.streamObject', ['chain', null]],
  ['ai.embed', ['chain', null]],
  ['ai.embedMany', ['chain', null]],
  ['ai.generateText.doGenerate', ['llm', 'chat']],
  ['ai.streamText.doStream', ['llm', 'chat']],
  ['ai.generateObject.doGenerate', ['llm', 'chat']],
  ['ai.streamObject.doStream', ['llm', 'chat']],
  ['ai.embed.doEmbed', ['embedding', 'embeddings']],
  ['ai.embedMany.doEmbed', ['embedding', 'embeddings']],
]);

/**
 * Operation of a model call without a response id: usage does not count it, since the gateway may have counted it already. No
 * instrumentation writes this name, so a call with the plain operation "generation" is counted.
 */
export const UNCOUNTED_CALL = 'dreadnode.generation';

/** Span types of the dreadnode client. */
export const MEANING_OF_CLIENT_TYPE: ReadonlyMap<string, readonly [SpanType, string | null]> = new Map([
  ['task', ['task', null]],
  ['evaluation', ['evaluation', null]],
  ['agent', ['agent', 'invoke_agent']],
  ['study', ['study', null]],
  ['trial', ['trial', null]],
  ['sample', ['sample', null]],
  ['transform', ['transform', null]],
  ['tool', ['tool', 'execute_tool']],
  ['generation', ['llm', UNCOUNTED_CALL]],
  ['scorer', ['evaluator', null]],
]);

export const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

/** Prefixes of messages that use one attribute per field, `<prefix><index>.<field>`, the newest first. */
export const INDEXED_INPUT = ['gen_ai.prompt.', 'llm.input_messages.', 'llm.prompts.'] as const;
export const INDEXED_OUTPUT = ['gen_ai.completion.', 'llm.output_messages.', 'llm.choices.'] as const;

/** Attributes that may hold the body of an event, when the body is not spread over the attributes. */
export const BODY_NAMES = ['gen_ai.event.content', 'body', 'event.body'] as const;

const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', model: 'assistant' };

/** Converts a role to the name that most conventions have for it. */
export const toRole = (given: string) => (Object.hasOwn(ROLES, given) ? (ROLES[given] ?? given) : given);
