/** Applies the limits of the request to a plan. */
import type { ChatRequest } from '../chat-model.ts';
import { type FinishReason, type Plan, refuse, type ToolCall } from './plan.ts';
import { MAX_OUTPUT_TOKENS, tokensOf } from './tokens.ts';

export interface LimitedResponse {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** Reasoning comes first, then the text, then the calls, until the tokens are used up. */
export function limit(plan: Plan, request: ChatRequest): LimitedResponse {
  const budget = new Budget(maxTokensOf(request));
  const reasoning = budget.take(plan.reasoning);
  const reasoningTokens = budget.used;
  const { text, isStopped } = cutAtStop(plan.content, stopsOf(request));
  const content = budget.take(text);
  const calls: ToolCall[] = [];
  for (const call of isStopped ? [] : plan.calls) {
    // A name cannot be cut.
    if (budget.take(call.name) !== call.name) break;
    calls.push({ ...call, arguments: budget.take(call.arguments) });
  }
  const reached = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    reasoning,
    content,
    calls,
    finishReason: budget.isExceeded ? 'length' : (plan.finishReason ?? reached),
    outputTokens: budget.used,
    reasoningTokens,
  };
}

class Budget {
  used = 0;
  isExceeded = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes as much of the text as the remaining tokens allow. */
  take(text: string): string {
    let taken = '';
    for (const token of tokensOf(text)) {
      if (this.used === this.#most) {
        this.isExceeded = true;
        break;
      }
      this.used++;
      taken += token;
    }
    return taken;
  }
}

function maxTokensOf(request: ChatRequest): number {
  const [field, value] = ['max_completion_tokens', 'max_tokens']
    .map((field) => [field, request[field]] as const)
    .find(([, value]) => value !== undefined && value !== null) ?? ['', MAX_OUTPUT_TOKENS];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw refuse(`"${field}" must be a whole number from 1 on.`);
  return Math.min(value, MAX_OUTPUT_TOKENS);
}

function stopsOf({ stop }: ChatRequest): string[] {
  const stops: readonly unknown[] = Array.isArray(stop) ? stop : [stop ?? []].flat();
  const isMeant = stops.length <= 4 && stops.every((text) => typeof text === 'string' && text !== '');
  if (!isMeant) throw refuse('"stop" must be a text or a list of at most 4 texts, none of them empty.');
  return stops as string[];
}

function cutAtStop(text: string, stops: readonly string[]): { text: string; isStopped: boolean } {
  const found = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
  return found.length > 0
    ? { text: text.slice(0, Math.min(...found)), isStopped: true }
    : { text, isStopped: false };
}
