/** Estimates the sandboxes, tokens and cost of an evaluation before it is created. */
import type { z } from 'zod';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { type PlanOptions, planEvaluation } from './plan.ts';
import type { EvaluationEstimateResponse, EvaluationRequest } from './schema.ts';

const CHARACTERS_PER_TOKEN = 4;
/** Assumptions about a sample: turns of an agent, tokens that it writes and reads in a turn, and the prompt with its tools. */
const AGENT = { turns: 8, outputTokens: 250, resultTokens: 400, promptTokens: 900 };
const CALL_OUTPUT_TOKENS = 400;

export async function estimateEvaluation(
  options: PlanOptions,
  scope: WorkspaceScope,
  request: EvaluationRequest,
  signal: AbortSignal,
): Promise<z.output<typeof EvaluationEstimateResponse>> {
  const plan = await planEvaluation(options, scope, request, signal);
  const { tasks, rows, agent, price, totalSamples, skipped } = plan;
  const texts = [
    ...tasks.map(({ details }) => details.instruction),
    ...rows.map(({ input, system }) => input + (system ?? '')),
  ];
  const tokens = texts.map((text) => estimateTokens(text.length, agent !== null));
  const sum = (field: 'input' | 'output') =>
    request.repetitions * tokens.reduce((total, one) => total + one[field], 0);
  const [input, output] = [sum('input'), sum('output')];
  const verified = tasks.filter(({ details }) => details.verification.method === 'script').length;
  const caps = [
    request.budget_usd,
    request.limits?.max_cost_usd && request.limits.max_cost_usd * totalSamples,
  ].flatMap((cap) => cap ?? []);
  return {
    total_samples: totalSamples,
    sandboxes: agent ? totalSamples + verified * request.repetitions : 0,
    input_tokens: input,
    output_tokens: output,
    cost_usd: (input * price.input_price + output * price.output_price) / 1_000_000,
    max_cost_usd: caps.length > 0 ? Math.min(...caps) : null,
    skipped_members: [...skipped],
  };
}

/** Assumed tokens of a sample. Every turn of an agent reads all turns before it again. */
export function estimateTokens(characters: number, isAgent: boolean) {
  const instruction = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  if (!isAgent) return { input: instruction, output: CALL_OUTPUT_TOKENS };
  const { turns, outputTokens, resultTokens, promptTokens } = AGENT;
  const before = ((turns * (turns - 1)) / 2) * (outputTokens + resultTokens);
  return { input: turns * (promptTokens + instruction) + before, output: turns * outputTokens };
}
