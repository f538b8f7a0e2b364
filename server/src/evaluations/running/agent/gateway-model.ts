/** The model of an evaluation, called through the gateway: metered, charged and linked to the session of the attempt. */

import type { Inference } from '../../../inference/service.ts';
import type { AgentModel, Fields, ModelResponse } from '../../../platform/agent/ports.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { ChatCompletion } from '../../../platform/llm/chat-model.ts';
import { creatorScope, type ItemContext } from '../context.ts';

/** Fields that are read here. All other fields of a message or a call are sent back to the provider, which may need them. */
const MESSAGE_FIELDS = new Set(['role', 'content', 'tool_calls', 'refusal']);
const CALL_FIELDS = new Set(['id', 'type', 'function', 'index']);

export function gatewayModel(context: ItemContext, sessionId: string): AgentModel {
  const { tools, organizationId, evaluation, item } = context;
  const { model, request, created_by: userId } = evaluation;
  // The seed differs between samples, or repetitions would all be the same.
  const seed =
    request.seed === null && !model.startsWith('sim/') ? {} : { seed: (request.seed ?? 0) + item.position };
  return {
    async call(call, signal): Promise<ModelResponse> {
      // `callModel` does not check rights, so they are checked before credits are spent.
      await creatorScope(context);
      const { maxOutputTokens } = await tools.inference.getModel(organizationId, model);
      // The rest of the sample's token limit may be more than the model can write in one call.
      const limit =
        call.max_tokens === undefined ? {} : { max_tokens: Math.min(call.max_tokens, maxOutputTokens) };
      const called = await tools.inference.callModel({
        organizationId,
        userId,
        request: { model, ...call, ...limit, ...seed },
        links: { sessionId, traceId: null, spanId: null },
        signal,
      });
      return toModelResponse(called);
    },
  };
}

type ModelCall = Awaited<ReturnType<Inference['callModel']>>;

/** @throws {ApiError} `bad_gateway_error` for a completion without a message */
export function toModelResponse({ completion, usage, costUsd }: ModelCall): ModelResponse {
  const { inputTokens, outputTokens, cacheReadInputTokens: read, cacheCreationInputTokens: created } = usage;
  return {
    ...readCompletion(completion),
    usage: {
      input_tokens: Math.max(0, inputTokens - read - created),
      output_tokens: outputTokens,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: created,
      cost_usd: costUsd,
    },
  };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/**
 * Reads the message, since a provider may send anything.
 * @throws {ApiError} `bad_gateway_error` for a completion without a message
 */
function readCompletion({ choices }: ChatCompletion): Omit<ModelResponse, 'usage'> {
  const choice = fieldsOf(choices[0]);
  if (!('message' in choice))
    throw new ApiError('bad_gateway_error', 'The provider sent a completion without a message. Try again.');
  const message = fieldsOf(choice['message']);
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].map(fieldsOf) : [];
  const extra = othersOf(message, MESSAGE_FIELDS);
  return {
    content: textOf(message['content']),
    finishReason: textOf(choice['finish_reason']) || null,
    toolCalls: calls.map(toToolCall),
    ...(extra && { extra }),
  };
}

function toToolCall(call: Fields): ModelResponse['toolCalls'][number] {
  const { name, arguments: given } = fieldsOf(call['function']);
  const extra = othersOf(call, CALL_FIELDS);
  const called = { id: textOf(call['id']), name: textOf(name), arguments: textOf(given) };
  return extra ? { ...called, extra } : called;
}

function othersOf(fields: Fields, known: ReadonlySet<string>): Fields | undefined {
  const others = Object.entries(fields).filter(([name, value]) => !known.has(name) && value !== null);
  return others.length > 0 ? Object.fromEntries(others) : undefined;
}
