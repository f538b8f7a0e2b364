/**
 * A target that is an agent with tools in a sandbox, run as an evaluation of one sample. It is judged by its answer and by what it did:
 * commands, requests to the network, changed files.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentRun,
  type AgentRunState,
  findAgentRun,
  findNamedTasks,
  startAgentRun,
} from '../../../evaluations/service.ts';
import { isEndStatus } from '../../../platform/jobs/job-kind.ts';
import { uuidOf } from '../../../platform/uuid.ts';
import { listEgress } from '../../../runtimes/service.ts';
import { readTurns } from '../../../sessions/service.ts';
import type { AgentTargetOf } from '../../assessments/target-config.ts';
import type { AgentActionsOf } from '../../schema.ts';
import { creatorScope, type FindingContext, OutOfBudget } from '../context.ts';
import type { MadeCall } from '../journal.ts';
import { seedFields } from '../model-calls.ts';
import type { SentProbe, Target, TargetDetails } from './target.ts';

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 500;
/** Hosts write what sandboxes asked of the network every half second. */
const EGRESS_LOG_MS = 1_000;
const MAX_ACTIONS = 200;
const MAX_COMMAND = 2_000;

export function agentTarget(context: FindingContext, model: string, config: AgentTargetOf): Target {
  return {
    send: async (probe) => {
      const { organizationId, finding } = context;
      // The same trial has the same id, so a worker that takes the finding over waits for the run that was started.
      const ref = { organizationId, id: uuidOf(`${finding.id} ${probe.seq}`) };
      if (!(await findAgentRun(context.tools.db, ref))) await start(context, model, config, probe, ref.id);
      return toResult(context, await waitFor(context, ref));
    },
  };
}

async function start(
  context: FindingContext,
  model: string,
  { task: reference, timeout_seconds }: AgentTargetOf,
  { prompt, indirect, trialIndex }: SentProbe,
  id: string,
): Promise<void> {
  const { tools, organizationId, assessment, finding, row } = context;
  const { agent } = assessment.execution;
  if (!agent) throw new Error('the plan has no agent');
  const scope = await creatorScope(context);
  const found = reference ? await findNamedTasks(tools.db, scope, [reference]) : undefined;
  const run: AgentRun = {
    id,
    findingId: finding.id,
    name: `${assessment.name}: ${finding.attack_name} ${trialIndex}`.slice(-255),
    model,
    projectId: assessment.project_id,
    agent,
    capability: agent.capability,
    timeoutSeconds: timeout_seconds ?? null,
    seed: seedFields(context, model, trialIndex).seed ?? null,
    prompt: indirect ? indirect.request : prompt,
    files: indirect ? { [indirect.source]: prompt } : {},
    task: found?.tasks[0] ?? null,
  };
  const owner = { organizationId, workspaceId: assessment.workspace_id, userId: assessment.created_by };
  await row.save((trx) => startAgentRun(trx, tools.queue, owner, run));
}

async function waitFor({ tools, signal }: FindingContext, ref: { organizationId: string; id: string }) {
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(LONGEST_POLL_MS, waitMs * 1.5)) {
    signal.throwIfAborted();
    const state = await findAgentRun(tools.db, ref);
    if (!state) throw new Error(`the evaluation ${ref.id} of a trial is gone`);
    if (state.status === 'paused')
      throw new OutOfBudget('credits', state.pauseReason ?? 'The agent was paused.');
    if (isEndStatus(state.status)) return state;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

const HAS_RUN: ReadonlySet<string> = new Set(['passed', 'failed', 'timed_out']);

async function toResult(
  context: FindingContext,
  run: AgentRunState,
): Promise<MadeCall & { readonly details: TargetDetails | null }> {
  const { costUsd, sessionId } = run;
  // An agent that ended with an error, as when its provider refuses every request, has not held against anything.
  if (!HAS_RUN.has(run.itemStatus) || run.stopReason === 'error')
    return {
      response: null,
      error: `The agent could not run: ${run.error ?? run.itemStatus}`,
      details: { sessionId, actions: null },
      costUsd,
    };
  const { answer, commands } = await readSession(context, sessionId);
  const actions: AgentActionsOf = {
    commands: commands.slice(0, MAX_ACTIONS),
    egress: await readEgress(context, run.sandboxId),
    files: (run.changedFiles ?? []).slice(0, MAX_ACTIONS).map(({ path }) => path),
  };
  return { response: answer ?? run.answer ?? '', error: null, details: { sessionId, actions }, costUsd };
}

async function readSession(context: FindingContext, sessionId: string | null) {
  const commands: string[] = [];
  let answer: string | undefined;
  if (sessionId === null) return { answer, commands };
  const viewer = await creatorScope(context);
  for await (const turn of readTurns(context.tools.db, viewer, sessionId, { includeCompacted: true })) {
    if (turn.kind !== 'message' || turn.message.role !== 'assistant') continue;
    const { content, tool_calls } = turn.message;
    if (typeof content === 'string' && content !== '') answer = content;
    for (const call of tool_calls ?? []) commands.push(describeCall(call).slice(0, MAX_COMMAND));
  }
  return { answer, commands };
}

function describeCall(call: { readonly name: string; readonly arguments: unknown }): string {
  const given = call.arguments;
  return `${call.name} ${typeof given === 'string' ? given : JSON.stringify(given)}`;
}

async function readEgress(
  { tools, organizationId, signal }: FindingContext,
  sandboxId: string | null,
): Promise<string[]> {
  if (sandboxId === null) return [];
  await sleep(EGRESS_LOG_MS, undefined, { signal });
  const entries = await listEgress(tools.db, { organizationId, sandboxId }, MAX_ACTIONS);
  return entries.map(({ host, port, isAllowed }) => `${host}:${port} ${isAllowed ? 'allowed' : 'refused'}`);
}
