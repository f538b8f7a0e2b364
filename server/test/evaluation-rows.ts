/** Inserts evaluations with results and messages directly into the tables. */
import { sql } from 'kysely';
import { inject } from 'vitest';
import { insertMessageTexts, type SearchedMessage } from '../src/evaluations/search/message-texts.ts';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { type Trx, transaction } from '../src/platform/db/transaction.ts';
import { createLog } from '../src/platform/log.ts';
import { toStorable } from '../src/platform/storable-text.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { createDatabase } from './databases.ts';
import { atEndOfFile } from './end-of-file.ts';

export interface EvaluationPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** Opens a new database with its workspace `main`. */
export async function openEvaluations(): Promise<{
  readonly db: Db;
  readonly url: string;
  readonly place: EvaluationPlace;
}> {
  const { url, drop } = await createDatabase(inject('databaseUrl'));
  atEndOfFile(drop);
  const db = connect({ url, poolSize: 2, namedStatements: true, log: createLog('fatal') });
  atEndOfFile(() => db.destroy());
  return { db, url, place: await findMain(db) };
}

export async function findMain(db: Db): Promise<EvaluationPlace> {
  const { organization_id, id } = await db
    .selectFrom('workspaces as w')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .select(['w.organization_id', 'w.id'])
    .where('o.key', '=', 'main')
    .where('w.key', '=', 'main')
    .executeTakeFirstOrThrow();
  return { organizationId: organization_id, workspaceId: id };
}

export interface ItemRow {
  readonly task?: string | undefined;
  readonly source?: number;
  readonly sample?: number;
  readonly status?: string;
  readonly score?: number;
  readonly scores?: Readonly<Record<string, unknown>>;
  readonly error?: string | null;
  readonly stopReason?: string;
  readonly turns?: number;
  readonly durationMs?: number;
  readonly inputTokens?: number;
  /** Messages without sequence numbers, which are assigned in this order. */
  readonly messages?: readonly Omit<SearchedMessage, 'seq'>[];
}

export interface TaskRow {
  readonly name: string;
  readonly tags?: readonly string[];
  readonly difficulty?: string;
}

export interface EvaluationRows {
  readonly name?: string;
  readonly tasks?: readonly TaskRow[];
  readonly items: readonly ItemRow[];
  readonly costUsd?: number;
}

const REQUEST = JSON.stringify({
  task_names: null,
  task_set: null,
  dataset: null,
  scorers: [],
  agent: null,
  capability: null,
  repetitions: 1,
  limits: { max_turns: 50 },
  max_retries: 2,
  runtime_id: null,
  secret_ids: [],
  seed: null,
});

function countStates(items: readonly ItemRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status = 'passed' } of items) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** @returns the id of the evaluation and those of its items */
export const insertEvaluation = (db: Db, place: EvaluationPlace, rows: EvaluationRows) =>
  transaction(db, (trx) => insertAll(trx, place, rows));

async function insertAll(
  trx: Trx,
  { organizationId, workspaceId }: EvaluationPlace,
  { name = 'evaluation', tasks = [], items, costUsd = 0 }: EvaluationRows,
): Promise<{ readonly id: string; readonly itemIds: string[] }> {
  const id = uuidv7();
  const itemIds = items.map(() => uuidv7());
  await sql`
    INSERT INTO evaluations (organization_id, id, workspace_id, created_by, name, model, concurrency, request, execution,
                             total_samples, status, item_counts, cost_usd)
    SELECT ${organizationId}, ${id}, ${workspaceId}, created_by, ${name}, 'sim/echo', 4, ${REQUEST}, '{"agent": null}',
           ${items.length}, 'completed', ${JSON.stringify(countStates(items))}, ${costUsd}
      FROM workspaces WHERE organization_id = ${organizationId} AND id = ${workspaceId}`.execute(trx);
  for (const [position, { name: task, tags = [], difficulty = null }] of tasks.entries())
    await sql`
      INSERT INTO evaluation_tasks (organization_id, evaluation_id, position, task_name, task_version, owner_id, version_id,
                                    details, tags, difficulty)
      VALUES (${organizationId}, ${id}, ${position}, ${task}, '1.0.0', ${organizationId}, ${uuidv7()}, '{}', ${[...tags]},
              ${difficulty})`.execute(trx);
  const evaluation = { organizationId, workspaceId, id };
  for (const [position, item] of items.entries())
    await insertItem(trx, evaluation, { id: itemIds[position] ?? '', position }, item);
  return { id, itemIds };
}

async function insertItem(
  trx: Trx,
  { organizationId, workspaceId, id }: EvaluationPlace & { readonly id: string },
  { id: itemId, position }: { readonly id: string; readonly position: number },
  item: ItemRow,
): Promise<void> {
  const {
    task = null,
    source = position,
    sample = 1,
    status = 'passed',
    score = null,
    error = null,
    messages = [],
  } = item;
  const { stopReason = null, turns = 0, durationMs = null, inputTokens = 0 } = item;
  const sessionId = messages.length > 0 ? uuidv7() : null;
  const passed =
    ({ passed: true, failed: false, timed_out: false } as Record<string, boolean>)[status] ?? null;
  await sql`
    INSERT INTO evaluation_items (organization_id, id, evaluation_id, position, source_position, task_name, task_version, row_index,
                                  sample, status, passed, score, error, stop_reason, turn_count, duration_ms, input_tokens, session_id, scores)
    VALUES (${organizationId}, ${itemId}, ${id}, ${position}, ${source}, ${task}, ${task && '1.0.0'}, ${task ? null : source},
            ${sample}, ${status}, ${passed}, ${score}, ${error}, ${stopReason}, ${turns}, ${durationMs}, ${inputTokens},
            ${sessionId}, ${JSON.stringify(item.scores ?? {})})`.execute(trx);
  if (sessionId === null) return;
  const numbered = messages.map((message, index) => Object.assign({ seq: index + 1 }, message));
  await sql`
    INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
    SELECT ${organizationId}, ${sessionId}, ${workspaceId}, created_by, 'sim/echo', 'eval', 'workspace'
      FROM workspaces WHERE organization_id = ${organizationId} AND id = ${workspaceId}`.execute(trx);
  for (const { seq, content, tool_calls = null } of numbered)
    await sql`
      INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, tool_calls, search_text)
      VALUES (${organizationId}, ${sessionId}, ${seq}, ${workspaceId}, ${`m${seq}`}, 'assistant', ${toStorable(content)},
              ${tool_calls && JSON.stringify(toStorable(tool_calls))}::json, '')`.execute(trx);
  await insertMessageTexts(trx, { organizationId, evaluationId: id, position }, numbered);
}
