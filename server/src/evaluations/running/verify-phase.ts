/** The second half of a sample: its verification, where its task has one, and its scorers. */
import { SandboxGone } from '../../runtimes/service.ts';
import type { ScoreOf } from '../schema.ts';
import type { AgentPhase } from './agent-phase.ts';
import { verificationStarted } from './attempt-rows.ts';
import type { ItemContext } from './context.ts';
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
  const { item, signal } = context;
  if (workspaceFrom === null) throw new Error('only an agent leaves a workspace');
  // Taken up from another worker, which may have died before the agent's sandbox, or that of its verification, had ended.
  if (item.status === 'agent_finished' || item.status === 'verifying')
    await endEarlier(context, workspaceFrom);
  return verifyInSandbox(context, { workspaceFrom, answer }, signal, async (sandbox) => {
    await verificationStarted(context, sandbox.id);
  });
}

/** A sandbox whose worker died may still run: it is ended before its /workspace is taken over. */
async function endEarlier(context: ItemContext, id: string): Promise<void> {
  const { tools, organizationId, evaluation, signal } = context;
  const owner = { organizationId, workspaceId: evaluation.workspace_id, userId: evaluation.created_by };
  try {
    await tools.sandboxes.resumeSandbox({ owner, id, signal }, async (sandbox) => {
      await sandbox.keep(KEPT_SECONDS);
      await sandbox.end();
    });
  } catch (error) {
    // One that has ended by itself keeps its disk as long as its lease lasts, which is found out next.
    if (!(error instanceof SandboxGone)) throw error;
  }
}
