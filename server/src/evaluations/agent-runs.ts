/** Runs of an agent on one prompt, for red-team trials: evaluations of a single sample that belong to a finding. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import type { Trx } from '../platform/db/transaction.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import { requestCancel } from '../platform/jobs/job-row.ts';
import type { JobQueue } from '../platform/jobs/queue.ts';
import type { FoundTask } from '../registry/service.ts';
import type { PinnedCapability } from './creation/find-agent.ts';
import { type EvaluationOwner, insertEvaluation } from './creation/insert.ts';
import { EVALUATION } from './evaluation-kind.ts';
import type { ItemState } from './item-states.ts';
import type { ChangedFileOf, EvaluationState } from './schema.ts';
import type { StoredExecution } from './stored-request.ts';

const MAX_TURNS = 30;
const MAX_RETRIES = 2;
/** Base64 characters in one command, a multiple of four; the kernel takes at most 128 KiB for an argument. */
const MAX_PIECE = 65_536;
/**
 * A host that does not resolve (RFC 2606). A list that is not empty starts the egress proxy, which records the network requests of the
 * agent.
 */
const WATCHED_EGRESS = ['nothing.invalid'];

export interface AgentRun {
  /** Chosen by the caller, so that a run is not started twice. */
  readonly id: string;
  readonly findingId: string;
  readonly name: string;
  readonly model: string;
  readonly projectId: string;
  readonly agent: NonNullable<StoredExecution['agent']>;
  /** A run that was planned before lineage was recorded has no ids. */
  readonly capability: (Pick<PinnedCapability, 'name' | 'version'> & Partial<PinnedCapability>) | null;
  readonly timeoutSeconds: number | null;
  readonly seed: number | null;
  readonly prompt: string;
  /** Path in /workspace to content. */
  readonly files: Readonly<Record<string, string>>;
  /** The task in whose environment the agent works. */
  readonly task: FoundTask | null;
}

export async function startAgentRun(
  trx: Trx,
  queue: Pick<JobQueue, 'enqueue'>,
  owner: EvaluationOwner,
  run: AgentRun,
): Promise<void> {
  const { id, name, model, projectId, agent, capability, timeoutSeconds, seed, prompt, files, task } = run;
  const row = { position: 0, input: prompt, expected: null, system: null, files, columns: null };
  await insertEvaluation(trx, owner, {
    id,
    name,
    model,
    projectId,
    tags: [],
    concurrency: 1,
    repetitions: 1,
    budgetUsd: null,
    request: {
      task_names: task ? [`${task.name}@${task.version}`] : null,
      task_set: null,
      dataset: null,
      scorers: [],
      agent: agent.name,
      capability: capability && { name: capability.name, version: capability.version },
      repetitions: 1,
      limits: { max_turns: MAX_TURNS, task_timeout_seconds: timeoutSeconds },
      max_retries: MAX_RETRIES,
      runtime_id: null,
      secret_ids: [],
      seed,
    },
    execution: {
      agent: { name: agent.name, systemPrompt: agent.systemPrompt },
      template: null,
      egressAllow: WATCHED_EGRESS,
    },
    tasks: task ? [toAttackedTask(task, prompt, files)] : [],
    rows: task ? [] : [row],
    capability: toPinned(capability),
    dataset: null,
    skipped: [],
    parent: { airtFindingId: run.findingId },
  });
  await queue.enqueue(trx, EVALUATION, { organizationId: owner.organizationId, id });
}

function toPinned(capability: AgentRun['capability']): PinnedCapability | null {
  const { name = '', version = '', ownerId, versionId } = capability ?? {};
  return ownerId && versionId ? { name, version, ownerId, versionId } : null;
}

/** The task's environment with the prompt of the attack. Its verification is left out: what the agent did is judged instead. */
function toAttackedTask(task: FoundTask, prompt: string, files: AgentRun['files']): FoundTask {
  const { environment } = task.details;
  const writes = Object.entries(files).flatMap(([path, text]) => toWriteCommands(path, text));
  return {
    ...task,
    details: {
      ...task.details,
      instruction: prompt,
      environment: { ...environment, setup: [...environment.setup, ...writes] },
      verification_method: 'contains',
      verification: { method: 'contains', expected: '', timeout_seconds: null },
    },
  };
}

/** Commands that write a file into the workspace, piece by piece. */
function toWriteCommands(path: string, text: string): string[] {
  const target = `'/workspace/${path.replaceAll("'", String.raw`'\''`)}'`;
  const content = Buffer.from(text).toString('base64');
  const commands = [`mkdir -p "$(dirname ${target})" && : > ${target}`];
  for (let start = 0; start < content.length; start += MAX_PIECE)
    commands.push(`printf %s '${content.slice(start, start + MAX_PIECE)}' | base64 -d >> ${target}`);
  return commands;
}

export interface AgentRunState {
  readonly status: EvaluationState;
  readonly pauseReason: string | null;
  readonly itemStatus: ItemState;
  readonly stopReason: string | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly costUsd: number;
  readonly sessionId: string | null;
  readonly sandboxId: string | null;
  readonly changedFiles: readonly ChangedFileOf[] | null;
}

/** @returns undefined where it was not started yet */
export async function findAgentRun(
  db: Db,
  { organizationId, id }: JobRef,
): Promise<AgentRunState | undefined> {
  const { rows } = await sql<AgentRunState>`
    SELECT e.status, e.pause_reason AS "pauseReason", i.status AS "itemStatus", i.stop_reason AS "stopReason", coalesce(i.error, e.error) AS error, i.answer,
           e.cost_usd AS "costUsd", i.session_id AS "sessionId", i.agent_sandbox_id AS "sandboxId", i.changed_files AS "changedFiles"
      FROM evaluations AS e
      JOIN evaluation_items AS i ON i.organization_id = e.organization_id AND i.evaluation_id = e.id
     WHERE e.organization_id = ${organizationId} AND e.id = ${id}`.execute(db);
  return rows[0];
}

/** Cancels the runs of a finding that have not ended. */
export async function cancelAgentRuns(trx: Trx, organizationId: string, findingId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM evaluations
     WHERE organization_id = ${organizationId} AND airt_finding_id = ${findingId}
       AND status IN ('queued', 'running', 'paused') ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  for (const { id } of rows) await requestCancel(trx, EVALUATION, { organizationId, id });
}
