/** The rows of a sample under way: every change of its state, each in one transaction under the fence of the job. */
import { sql } from 'kysely';
import { findProjectId } from '../../accounts/service.ts';
import type { AgentResult } from '../../platform/agent/agent.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { appendEvents } from '../../platform/events/event-log.ts';
import { toStorable, toStorableText } from '../../platform/storable-text.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import {
  closeAttempts,
  createGroup,
  createSession,
  findMainConversation,
  getGroupTotals,
} from '../../sessions/service.ts';
import { archiveAttempts, NO_OUTCOME, toUsage } from '../attempt-columns.ts';
import { countChanges, type EndState, type ItemState } from '../item-states.ts';
import type { ChangedFileOf, ERROR_KINDS, ScoreOf } from '../schema.ts';
import { insertConversationTexts } from '../search/message-texts.ts';
import { recordAttempt } from './attempt-lineage.ts';
import { creatorScope, type ItemContext, originOf, titleOf } from './context.ts';
import { resourcesOf } from './task-sandbox.ts';
import type { Verdict } from './verification/verification.ts';

/** Bytes of an answer that its item keeps; the transcript has all of it. */
const MAX_ANSWER_BYTES = 4_096;

export interface Attempt {
  readonly id: string;
  readonly sessionId: string;
}

/**
 * Moves the item from its state in the database to another, and counts it there.
 * @param set the columns that change with the state
 */
async function move(
  trx: Trx,
  { organizationId, evaluationId, item }: ItemContext,
  to: ItemState,
  set: ReturnType<typeof sql>,
  sums: { readonly passed?: boolean | null; readonly score?: number | null; readonly costUsd?: number } = {},
): Promise<void> {
  const { rows } = await sql<{ before: ItemState }>`
    UPDATE evaluation_items AS i SET status = ${to}, ${set}
      FROM (SELECT status FROM evaluation_items
             WHERE organization_id = ${organizationId} AND id = ${item.id} FOR UPDATE) AS old
     WHERE i.organization_id = ${organizationId} AND i.id = ${item.id}
    RETURNING old.status AS before`.execute(trx);
  const [row] = rows;
  if (!row) throw new Error(`item ${item.id} is gone`);
  const { passed = null, score = null, costUsd = 0 } = sums;
  await countChanges(trx, { organizationId, evaluationId }, [
    {
      id: item.id,
      position: item.position,
      from: row.before,
      to,
      passed,
      costUsd,
      ...(score !== null && { scoreSum: score, scoredCount: 1 }),
    },
  ]);
}

/** Creates the session of a new attempt and the session group that links it to the item. The group and the attempt share their id. */
export async function beginAttempt(context: ItemContext): Promise<Attempt> {
  const { tools, row, item, evaluationId, evaluation } = context;
  const attempt = { id: uuidv7(), sessionId: uuidv7() };
  const scope = await creatorScope(context);
  const { model, project_id, request, execution } = evaluation;
  const projectId = project_id === null ? undefined : await findProjectId(tools.db, scope, project_id);
  const title = titleOf(item);
  await row.save(async (trx) => {
    await createGroup(trx, scope, {
      id: attempt.id,
      kind: 'evaluation_item',
      status: 'running',
      title,
      capability: request.capability?.name,
      capability_version: request.capability?.version,
      evaluation_id: evaluationId,
      evaluation_item_id: item.id,
      evaluation_item_attempt_id: attempt.id,
    });
    await createSession(trx, scope, {
      id: attempt.sessionId,
      model,
      agent: execution.agent?.name ?? null,
      title,
      origin: originOf(context),
      visibility: 'workspace',
      group_id: attempt.id,
      project_id: projectId ?? null,
    });
    await recordAttempt(trx, context, attempt.sessionId);
    const resources = execution.agent ? JSON.stringify(resourcesOf(context)) : null;
    const set = sql`attempt_id = ${attempt.id}, attempt_number = attempt_number + 1, session_id = ${attempt.sessionId},
      started_at = clock_timestamp(), requested_resources = ${resources}::jsonb`;
    await move(trx, context, 'claiming', set);
  });
  return attempt;
}

export const sandboxStarted = (context: ItemContext, id: string, limits: Readonly<Record<string, number>>) =>
  context.row.save((trx) =>
    move(
      trx,
      context,
      'provisioning',
      sql`agent_sandbox_id = ${id}, enforced_resources = ${JSON.stringify(limits)}::jsonb`,
    ),
  );

export const agentStarted = (context: ItemContext) =>
  context.row.save((trx) => move(trx, context, 'agent_running', sql`agent_started_at = clock_timestamp()`));

export const verificationStarted = (context: ItemContext, sandboxId: string) =>
  context.row.save((trx) => move(trx, context, 'verifying', sql`env_sandbox_id = ${sandboxId}`));

/** Freezes the session, so that no message is added to a conversation that is being verified. */
export async function agentFinished(
  context: ItemContext,
  { id, sessionId }: Attempt,
  { stopReason, answer, turns, error }: AgentResult,
  changedFiles: readonly ChangedFileOf[] | null,
): Promise<void> {
  await context.row.save(async (trx) => {
    await closeAttempts(trx, context.organizationId, {
      groupIds: [id],
      status: stopReason === 'error' ? 'failed' : 'completed',
    });
    const main = await findMainConversation(trx, context.organizationId, id);
    if (context.evaluation.execution.agent?.program && main)
      await insertConversationTexts(trx, sampleOf(context), main.sessionId);
    const set = sql`session_id = ${main?.sessionId ?? sessionId}, agent_finished_at = clock_timestamp(), stop_reason = ${stopReason}, answer = ${cutAnswer(answer)},
      turn_count = ${turns}, changed_files = ${changedFiles && JSON.stringify(toStorable(changedFiles))}::jsonb, error = ${toStorable(error ?? null)}, ${toUsage(await getGroupTotals(trx, context.organizationId, id))}`;
    await move(trx, context, 'agent_finished', set);
  });
}

const sampleOf = ({ organizationId, evaluationId, item }: ItemContext) => ({
  organizationId,
  evaluationId,
  position: item.position,
});

/** Cuts the answer between two characters. */
function cutAnswer(answer: string): string {
  const bytes = Buffer.from(toStorableText(answer));
  if (bytes.length <= MAX_ANSWER_BYTES) return bytes.toString();
  let end = MAX_ANSWER_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

export interface SampleResult {
  readonly state: EndState;
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly scores: Readonly<Record<string, ScoreOf>>;
  readonly verdict?: Verdict | undefined;
  readonly stopReason?: string;
  readonly error: string | null;
  readonly errorKind: (typeof ERROR_KINDS)[number] | null;
}

/** Ends the sample. Outputs and errors may hold anything that a program can write; PostgreSQL stores neither NUL nor half a character. */
export async function sampleEnded(
  context: ItemContext,
  attempt: Attempt | undefined,
  result: SampleResult,
): Promise<void> {
  const { organizationId, row } = context;
  const { state, passed, score, scores, verdict, stopReason, error, errorKind } = toStorable(result);
  await row.save(async (trx) => {
    const used = attempt && (await getGroupTotals(trx, organizationId, attempt.id));
    const totals = used && { ...used, cost_usd: used.cost_usd + (verdict?.costUsd ?? 0) };
    if (attempt) {
      const status = state === 'cancelled' ? 'cancelled' : state === 'infra_error' ? 'failed' : 'completed';
      await closeAttempts(trx, organizationId, {
        groupIds: [attempt.id],
        status,
      });
    }
    const usage = totals ? sql`${toUsage(totals)},` : sql``;
    const set = sql`${usage} passed = ${passed}, score = ${score}, scores = ${JSON.stringify(scores)}::jsonb,
      metrics = ${verdict?.metrics ? JSON.stringify(verdict.metrics) : null}::jsonb,
      verification = ${verdict?.verification ? JSON.stringify(verdict.verification) : null}::jsonb,
      stop_reason = coalesce(${stopReason ?? null}, stop_reason), error = ${error}, error_kind = ${errorKind},
      completed_at = clock_timestamp(),
      duration_ms = round(extract(epoch FROM clock_timestamp() - started_at) * 1000)::integer`;
    await move(trx, context, state, set, { passed, score, costUsd: totals?.cost_usd ?? 0 });
    if (error !== null) await appendLog(trx, context, error);
  });
}

/** A line for readers of the evaluation's events. */
async function appendLog(
  trx: Trx,
  { organizationId, evaluationId, item }: ItemContext,
  message: string,
): Promise<void> {
  const data = { item_id: item.id, message: `${titleOf(item)}: ${message}` };
  await appendEvents(trx, { organizationId, streamId: evaluationId }, [{ type: 'log', data }]);
}

/** Archives an attempt that ended with an infrastructure error, counts a retry, and queues the item for the next attempt. */
export async function attemptFailed(
  context: ItemContext,
  attempt: Attempt | undefined,
  error: string,
): Promise<void> {
  await endAttempt(context, attempt, { error, isCounted: true });
}

/** Archives the attempt and queues the item without counting a retry: the evaluation pauses, and a new attempt follows when it resumes. */
export async function attemptAbandoned(
  context: ItemContext,
  attempt: Attempt | undefined,
  error: string,
): Promise<void> {
  await endAttempt(context, attempt, { error, isCounted: false });
}

async function endAttempt(
  context: ItemContext,
  attempt: Attempt | undefined,
  { error: given, isCounted }: { readonly error: string; readonly isCounted: boolean },
): Promise<void> {
  const { organizationId, item, row } = context;
  const error = toStorableText(given);
  await row.save(async (trx) => {
    if (attempt) {
      const { id } = attempt;
      await closeAttempts(trx, organizationId, { groupIds: [id], status: 'failed' });
      const totals = await getGroupTotals(trx, organizationId, id);
      const set = sql`error = ${error}, error_kind = 'infra', completed_at = clock_timestamp(),
        duration_ms = round(extract(epoch FROM clock_timestamp() - started_at) * 1000)::integer,
        ${toUsage(totals)}`;
      await move(trx, context, 'infra_error', set, { costUsd: totals.cost_usd });
      await archiveAttempts(trx, organizationId, [item.id]);
    }
    await appendLog(trx, context, error);
    const count = sql`retry_count = retry_count + ${isCounted ? 1 : 0}`;
    await move(trx, context, 'queued', sql`${count}, queued_at = clock_timestamp(), ${NO_OUTCOME}`);
  });
}
