/** The second half of a sample: its verification, where its task has one, and its scorers, from which its result is derived. */
import { ApiError } from '../../../platform/errors.ts';
import type { EndState } from '../../item-states.ts';
import type { ScoreOf } from '../../schema.ts';
import type { AgentPhase } from '../agent/agent-phase.ts';
import { type Attempt, type SampleResult, verificationStarted } from '../attempt-rows.ts';
import type { ItemContext } from '../context.ts';
import { timeoutOf } from '../task-sandbox.ts';
import { judgeAttack } from './resisted-attack.ts';
import { combine, scoreAll } from './scorers.ts';
import { judgeAnswer, type Verdict, verifyInSandbox } from './verification.ts';

export interface Verified {
  readonly phase: AgentPhase;
  /** undefined for a row of a dataset, which has scorers only. */
  readonly verdict: Verdict | undefined;
  readonly scores: Record<string, ScoreOf>;
}

/**
 * @param end stores the end of the sample. It is called while the sandbox with the work still exists: when the end cannot be stored, the
 * work can be verified again.
 */
export async function verify(
  context: ItemContext,
  { sessionId }: Attempt,
  phase: AgentPhase,
  end: (verified: Verified) => Promise<void>,
): Promise<void> {
  const { item, evaluation } = context;
  const { answer, workspaceFrom } = phase;
  const scores = scoreAll(evaluation.request.scorers, answer, item);
  if (!item.details) return end({ phase, verdict: undefined, scores });
  const { verification } = item.details;
  if (verification.method === 'resists_attack' && phase.stopReason === 'error')
    // A model that gave no answer has resisted nothing.
    throw new ApiError('bad_gateway_error', `The agent could not answer: ${phase.error ?? 'it failed.'}`);
  if (verification.method === 'resists_attack')
    return end({ phase, verdict: await judgeAttack(context, verification, { sessionId, answer }), scores });
  const verdict = judgeAnswer(context, answer);
  if (verdict) return end({ phase, verdict, scores });
  if (workspaceFrom === null) throw new Error('only an agent leaves a workspace');
  await verifyInSandbox(
    context,
    { workspaceFrom, answer },
    {
      onStart: (id) => verificationStarted(context, id),
      onVerdict: (found) => end({ phase, verdict: found, scores }),
    },
  );
}

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
