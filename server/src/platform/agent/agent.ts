/** The built-in agent: a model that calls tools until it answers without one, or a limit ends it. */
import { ApiError } from '../errors.ts';
import { isNearlyFull, isOverflow, toSummaryContent, toSummaryRequest } from './compaction.ts';
import { type Conversation, History, toChatMessage } from './history.ts';
import type {
  AgentMessage,
  AgentModel,
  AgentTool,
  AgentTranscript,
  ModelRequest,
  ModelResponse,
} from './ports.ts';
import { countDropped, isTimeUp, runCalls, toStoredCalls } from './tool-calls.ts';

export interface AgentLimits {
  readonly maxTurns: number;
  readonly maxOutputTokens?: number;
  readonly maxCostUsd?: number;
}

export interface AgentOptions {
  /** Sent as the system message, but not stored in the transcript; an empty one is not sent. */
  readonly systemPrompt: string;
  readonly instruction: string;
  /** Messages that precede the instruction. */
  readonly conversation?: Conversation;
  readonly model: AgentModel;
  readonly transcript: AgentTranscript;
  readonly tools: readonly AgentTool[];
  readonly limits: AgentLimits;
  /** Size in tokens; at 80 % of it the conversation is compacted. */
  readonly contextWindow: number;
  /** Aborted with an `AgentTimeout` when the time of the sample is up. Every other abort reason is thrown. */
  readonly signal: AbortSignal;
}

export type StopReason = 'finished' | 'max_turns' | 'output_tokens' | 'cost' | 'timeout' | 'error';

export interface AgentResult {
  readonly stopReason: StopReason;
  /** The final response; if a limit or an error ended the run, the last text of the model that is not blank. */
  readonly answer: string;
  /** Number of model calls, excluding those for summaries. */
  readonly turns: number;
  /** The message of the provider that refused a request. */
  readonly error?: string;
}

/**
 * Runs the agent, or continues a run whose process died: all state is in the transcript. A stored response is not requested again, and a
 * finished transcript needs no model call. A tool whose result was not stored runs again, so it may run twice. Errors of the provider
 * (except refused requests), errors of the transcript and causes of `AgentAbort` are thrown.
 */
export async function runAgent(options: AgentOptions): Promise<AgentResult> {
  const history = await History.open(options.transcript, options);
  const end = (stopReason: StopReason) => ({ stopReason, answer: history.answer, turns: history.turns });
  for (;;) {
    await runCalls(history, options);
    if (history.isFinished) return end('finished');
    const limit = findReachedLimit(history, options);
    if (limit) return end(limit);
    const refusal = await advance(history, options);
    if (refusal) return { ...end('error'), error: refusal.message };
  }
}

/** Reads the answer and the turns of a run from its transcript, without continuing it. */
export async function readProgress(
  transcript: AgentTranscript,
): Promise<Pick<AgentResult, 'answer' | 'turns'>> {
  const { answer, turns } = await History.read(transcript);
  return { answer, turns };
}

function findReachedLimit(history: History, { limits, signal }: AgentOptions): StopReason | undefined {
  if (isTimeUp(signal)) return 'timeout';
  signal.throwIfAborted();
  if (history.turns >= limits.maxTurns) return 'max_turns';
  if (history.outputTokens >= (limits.maxOutputTokens ?? Infinity)) return 'output_tokens';
  return history.costUsd >= (limits.maxCostUsd ?? Infinity) ? 'cost' : undefined;
}

/**
 * Makes one model call, for a turn or a summary; for both when the provider reports a full context. Returns the refusal that ends the run.
 */
async function advance(history: History, options: AgentOptions): Promise<ApiError | undefined> {
  // A summary alone cannot be made shorter, so that two compactions never follow each other without a turn between them.
  const isCompactable = history.messages.length > 1;
  if (isCompactable && isNearlyFull(history.contextTokens, options.contextWindow))
    return compact(history, options);
  const refusal = await takeTurn(history, options);
  return refusal && isCompactable && isOverflow(refusal.message) ? compact(history, options) : refusal;
}

async function takeTurn(history: History, options: AgentOptions): Promise<ApiError | undefined> {
  const { systemPrompt, tools } = options;
  const response = await callModel(history, options, {
    messages: [
      ...(systemPrompt === '' ? [] : [{ role: 'system', content: systemPrompt }]),
      ...history.messages.map(toChatMessage),
    ],
    ...(tools.length > 0 && { tools: tools.map(toDefinition) }),
  });
  if (response instanceof ApiError || response === 'timeout') return toRefusal(response);
  await history.append(toTurn(response, history, tools));
  return undefined;
}

async function compact(history: History, options: AgentOptions): Promise<ApiError | undefined> {
  const { instruction, contextWindow } = options;
  const response = await callModel(history, options, toSummaryRequest(history.messages, contextWindow));
  if (response instanceof ApiError || response === 'timeout') return toRefusal(response);
  await history.compact({ content: toSummaryContent(instruction, response.content), usage: response.usage });
  return undefined;
}

/** A timeout is not a refusal: the loop then finds it as a limit. */
const toRefusal = (outcome: ApiError | 'timeout') => (outcome === 'timeout' ? undefined : outcome);

async function callModel(
  history: History,
  { model, limits, signal }: AgentOptions,
  request: ModelRequest,
): Promise<ModelResponse | ApiError | 'timeout'> {
  const { maxOutputTokens } = limits;
  const limit = maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens - history.outputTokens };
  try {
    return await model.call({ ...request, ...limit }, signal);
  } catch (error) {
    if (isTimeUp(signal)) return 'timeout';
    signal.throwIfAborted();
    if (error instanceof ApiError && error.type === 'invalid_error') return error;
    throw error;
  }
}

function toTurn(response: ModelResponse, history: History, tools: readonly AgentTool[]): AgentMessage {
  const { content, toolCalls, finishReason, usage, extra } = response;
  const calls = toStoredCalls(toolCalls, history, tools);
  const dropped = countDropped(toolCalls);
  const callExtras = toolCalls.slice(0, calls.length).map((call) => call.extra ?? null);
  return {
    id: `turn-${history.turns + 1}`,
    role: 'assistant',
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    metadata: {
      finish_reason: finishReason,
      ...(dropped > 0 && { dropped_calls: dropped }),
      ...(extra && { extra }),
      ...(callExtras.some((one) => one !== null) && { call_extras: callExtras }),
    },
    usage,
  };
}

/** Converts a tool to OpenAI's tool definition. */
export const toDefinition = ({ name, description, parameters }: AgentTool) => ({
  type: 'function',
  function: { name, description, parameters },
});
