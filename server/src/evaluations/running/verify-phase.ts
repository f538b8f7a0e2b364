/** The second half of a sample: its verification, where its task has one, and its scorers. */
import { SandboxGone } from '../../runtimes/service.ts';
import type { ScoreOf } from '../schema.ts';
import type { AgentPhase } from './agent-phase.ts';
import { verificationStarted } from './attempt-rows.ts';
import { type ItemContext, ownerOf } from './context.ts';
import { scoreAll } from './scorers.ts';
import { KEPT_SECONDS } from './task-sandbox.ts';
import { judgeAnswer, type Verdict, verifyInSandbox } from './verification.ts';

export interface Verified {
  readonly phase: AgentPhase;
  /** undefined for a row of a dataset, which has scorers only. */
  readonly verdict: Verdict | undefined;
  readonly scores: Record<string, ScoreOf>;
}

export async function verify(context: ItemContext, phase: AgentPhase): Promise<Verified> {
  const { item, evaluation } = context;
  const scores = scoreAll(evaluation.request.scorers, phase.answer, item);
  if (!item.details) return { phase, verdict: undefined, scores };
  return {
    phase,
    verdict: judgeAnswer(context, phase.answer) ?? (await verifyWorkspace(context, phase)),
    scores,
  };
}

async function verifyWorkspace(
  context: ItemContext,
  { workspaceFrom, answer }: AgentPhase,
): Promise<Verdict> {
  const { item } = context;
  if (workspaceFrom === null) throw new Error('only an agent leaves a workspace');
  // The worker before may have died while the sandbox of the agent, or that of the verification, was running.
  if (item.status === 'agent_finished' || item.status === 'verifying')
    await endEarlier(context, workspaceFrom);
  return verifyInSandbox(context, { workspaceFrom, answer }, (id) => verificationStarted(context, id));
}

/** Ends a sandbox that a dead worker may have left running, so that its /workspace can be taken over. */
async function endEarlier(context: ItemContext, id: string): Promise<void> {
  const { tools, signal } = context;
  try {
    await tools.sandboxes.resumeSandbox({ owner: ownerOf(context), id, signal }, async (sandbox) => {
      await sandbox.keep(KEPT_SECONDS);
      await sandbox.end();
    });
  } catch (error) {
    // A sandbox that has ended by itself keeps its disk while its lease lasts; the takeover finds out whether it still does.
    if (!(error instanceof SandboxGone)) throw error;
  }
}
