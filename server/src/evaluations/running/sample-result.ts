/** Derives the result of a sample from how its agent stopped and from its verification or scorers. */
import type { EndState } from '../item-states.ts';
import type { SampleResult } from './attempt-rows.ts';
import type { ItemContext } from './context.ts';
import { combine } from './scorers.ts';
import { timeoutOf } from './task-sandbox.ts';
import type { Verified } from './verify-phase.ts';

/** A verification alone decides; scorers decide where there is none. Without any result of theirs there is no score. */
export function toResult(context: ItemContext, { phase, verdict, scores }: Verified): SampleResult {
  const { passed, score } = verdict ?? combine(scores);
  const state: EndState = passed ? 'passed' : phase.stopReason === 'timeout' ? 'timed_out' : 'failed';
  const common = { state, passed: passed === true, score, scores, verdict };
  if (passed) return { ...common, error: null, errorKind: null };
  return { ...common, ...findError(context, { phase, verdict, scores }) };
}

function findError(
  context: ItemContext,
  { phase, verdict, scores }: Verified,
): Pick<SampleResult, 'error' | 'errorKind'> {
  if (verdict?.error !== undefined) return { error: verdict.error, errorKind: 'verifier' };
  const [failure] = Object.values(scores).flatMap((score) => score.error ?? []);
  if (!verdict && failure !== undefined && combine(scores).passed === null)
    return { error: `No scorer came to a result. ${failure}`, errorKind: 'verifier' };
  if (phase.stopReason === 'finished') return { error: null, errorKind: null };
  if (phase.stopReason === 'error') return { error: phase.error ?? 'The agent failed.', errorKind: 'agent' };
  return { error: describeLimit(context, phase.stopReason), errorKind: 'limit' };
}

function describeLimit(context: ItemContext, stopReason: string): string {
  const { max_turns, max_output_tokens, max_cost_usd } = context.evaluation.request.limits;
  if (stopReason === 'max_turns') return `The agent did not finish within ${max_turns} turns.`;
  if (stopReason === 'output_tokens')
    return `The agent did not finish within ${max_output_tokens} output tokens.`;
  if (stopReason === 'cost') return `The agent did not finish within ${max_cost_usd} US dollars.`;
  return `The agent did not finish within ${timeoutOf(context)} s.`;
}
