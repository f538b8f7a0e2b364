/** Estimates the calls and the cost of a job before it is created. */
import type { z } from 'zod';
import { estimateTokens } from '../../evaluations/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Example } from '../stored-job.ts';
import { type PlanOptions, planJob } from './plan.ts';
import type { CreateRequest, OptimizationEstimateResponse } from './schema.ts';

const CHARACTERS_PER_TOKEN = 4;
/** Iterations that are assumed where only time or missing improvement ends the job. */
const ASSUMED_ITERATIONS = 20;
/** The share of proposals that is assumed to be accepted, and scored on the whole validation set. */
const ACCEPTED_SHARE = 0.3;

export async function estimateJob(
  options: PlanOptions,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<z.output<typeof OptimizationEstimateResponse>> {
  const { stored, sets, seedCandidate, prices, warnings } = await planJob(options, scope, request, signal);
  const { config, metric_calls_floor } = stored;
  const { train, validation, holdout } = sets;
  const valSize = validation.length || train.length;
  const perProposal = 2 * config.reflection_minibatch_size + ACCEPTED_SHARE * valSize;
  const limit = config.max_metric_calls ?? null;
  const byCalls =
    limit === null ? Infinity : Math.ceil((limit - valSize) / (config.concurrency * perProposal));
  const iterations = Math.min(config.max_trials ?? (limit === null ? ASSUMED_ITERATIONS : Infinity), byCalls);
  const proposals = iterations * config.concurrency;
  const metricCalls = Math.round(valSize + proposals * perProposal);
  const reflections =
    config.module_selector === 'all' ? proposals * Object.keys(seedCandidate).length : proposals;
  const prompt = Object.values(seedCandidate).reduce((sum, text) => sum + text.length, 0);
  const hasSandbox = request.target_kind === 'capability_env';
  const sample = estimateTokens(prompt + meanLength([...train, ...validation]), hasSandbox);
  const shown = Math.min(config.reflection_minibatch_size, config.max_reflection_examples);
  const reflectionInput = Math.ceil((prompt + shown * config.max_side_info_chars) / CHARACTERS_PER_TOKEN);
  const reflectionOutput = Math.ceil(prompt / CHARACTERS_PER_TOKEN) + 200;
  const holdoutCalls = holdout.length * (1 + Math.round(ACCEPTED_SHARE * proposals));
  const samples = metricCalls + holdoutCalls;
  return {
    train_size: train.length,
    val_size: validation.length,
    holdout_size: holdout.length,
    metric_calls_floor,
    metric_calls_limit: limit,
    metric_calls: metricCalls,
    holdout_calls: holdoutCalls,
    reflection_calls: Math.round(reflections),
    input_tokens: Math.round(samples * sample.input + reflections * reflectionInput),
    output_tokens: Math.round(samples * sample.output + reflections * reflectionOutput),
    cost_usd:
      (samples * (sample.input * prices.model.input_price + sample.output * prices.model.output_price) +
        reflections *
          (reflectionInput * prices.reflection.input_price +
            reflectionOutput * prices.reflection.output_price)) /
      1_000_000,
    warnings: [...warnings],
  };
}

const lengthOf = ({ task, row }: Example) => (task ? task.details.instruction.length : row.input.length);

const meanLength = (examples: readonly Example[]) =>
  examples.reduce((sum, example) => sum + lengthOf(example), 0) / Math.max(1, examples.length);
