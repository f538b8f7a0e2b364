/** The second half of a sample: its verification, where its task has one, and its scorers. */
import { ApiError } from '../../platform/errors.ts';
import type { ScoreOf } from '../schema.ts';
import type { AgentPhase } from './agent-phase.ts';
import { type Attempt, verificationStarted } from './attempt-rows.ts';
import type { ItemContext } from './context.ts';
import { judgeAttack } from './resisted-attack.ts';
import { scoreAll } from './scorers.ts';
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
