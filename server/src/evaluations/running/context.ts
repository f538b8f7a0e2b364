/** The context in which a sample runs: tools of the process, the evaluation, the item, and the claimed row that fences its writes. */
import { sql } from 'kysely';
import { scopeOf } from '../../accounts/service.ts';
import type { Inference } from '../../inference/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ClaimedRow } from '../../platform/jobs/job-kind.ts';
import type { Log } from '../../platform/log.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { TaskDetails } from '../../registry/service.ts';
import type { Sandboxes } from '../../runtimes/service.ts';
import type { ItemState } from '../item-states.ts';
import type { StoredExecution, StoredRequest } from '../stored-request.ts';

export interface RunTools {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly inference: Inference;
  readonly sandboxes: Sandboxes;
}

/** Tools that all samples of this process share. */
export interface SampleTools extends RunTools {
  /** Scopes of creators, by the id of the evaluation; see `creatorScope`. */
  readonly scopes: ShortMemory<WorkspaceScope>;
}

/** A user has cancelled this sample. */
export class SampleCancelled extends Error {}

/** One sample under way. */
export interface ItemContext {
  readonly tools: SampleTools;
  readonly organizationId: string;
  readonly evaluationId: string;
  readonly evaluation: RunEvaluation;
  /** Its `save` is refused once another attempt of the job has begun. */
  readonly row: ClaimedRow;
  readonly item: RunItem;
  /** Aborted when the step ends, the evaluation is cancelled, or this sample is. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** An evaluation as its job reads it. */
export interface RunEvaluation {
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly created_by: string;
  readonly name: string;
  readonly model: string;
  readonly budget_usd: number | null;
  /** The job whose candidate is scored. */
  readonly optimization_job_id: string | null;
  /** The red-team finding whose trial this is. */
  readonly airt_finding_id: string | null;
  readonly request: StoredRequest;
  readonly execution: StoredExecution;
}

export async function getRunEvaluation(
  db: Db,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<RunEvaluation> {
  const row = await db
    .selectFrom('evaluations')
    .select([
      'workspace_id',
      'project_id',
      'created_by',
      'name',
      'model',
      'budget_usd',
      'optimization_job_id',
      'airt_finding_id',
      'request',
      'execution',
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row as unknown as RunEvaluation;
}

/** An item as it was when it was claimed, with its task or its row of the dataset. */
export interface RunItem {
  readonly id: string;
  readonly position: number;
  readonly status: ItemState;
  readonly is_cancelled: boolean;
  readonly task_name: string | null;
  readonly task_version: string | null;
  readonly row_index: number | null;
  readonly sample: number;
  readonly attempt_id: string | null;
  readonly retry_count: number;
  readonly session_id: string | null;
  readonly agent_sandbox_id: string | null;
  readonly env_sandbox_id: string | null;
  readonly agent_started_at: string | null;
  readonly stop_reason: string | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly owner_id: string | null;
  readonly version_id: string | null;
  readonly details: TaskDetails | null;
  readonly input: string | null;
  readonly expected: string | null;
  readonly system: string | null;
  readonly files: Readonly<Record<string, string>> | null;
  readonly columns: Readonly<Record<string, string>> | null;
}

export async function getRunItem(
  db: Db,
  { organizationId, evaluationId, id }: { organizationId: string; evaluationId: string; id: string },
): Promise<RunItem> {
  const { rows } = await sql<RunItem>`
    SELECT i.id, i.position, i.status, i.cancel_requested_at IS NOT NULL AS is_cancelled, i.task_name, i.task_version, i.row_index, i.sample, i.attempt_id, i.retry_count,
           i.session_id, i.agent_sandbox_id, i.env_sandbox_id, i.agent_started_at, i.stop_reason, i.error, i.answer,
           t.owner_id, t.version_id, t.details, r.input, r.expected, r.system, r.files, r.columns
      FROM evaluation_items AS i
      LEFT JOIN evaluation_tasks AS t ON t.organization_id = i.organization_id AND t.evaluation_id = i.evaluation_id
                                     AND t.position = i.source_position AND i.row_index IS NULL
      LEFT JOIN evaluation_rows AS r ON r.organization_id = i.organization_id AND r.evaluation_id = i.evaluation_id
                                    AND r.position = i.row_index
     WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${evaluationId} AND i.id = ${id}`.execute(
    db,
  );
  const [item] = rows;
  if (!item) throw new Error(`item ${id} of evaluation ${evaluationId} is gone`);
  return item;
}

/**
 * Returns the scope of the evaluation's creator. It is read at each use and cached for 0.7 s, so that lost rights end the work within a
 * second.
 * @throws {ApiError} `forbidden_error` after the rights are lost
 */
export function creatorScope({ tools, organizationId, evaluationId, evaluation }: ItemContext) {
  const place = { organizationId, workspaceId: evaluation.workspace_id };
  const lookUp = () => scopeOf(tools.db, place, evaluation.created_by, evaluationId);
  return tools.scopes.get(evaluationId, lookUp);
}

/** The owner of the sandboxes of a sample: its evaluation's creator. */
export const ownerOf = ({ organizationId, evaluation }: ItemContext) => ({
  organizationId,
  workspaceId: evaluation.workspace_id,
  userId: evaluation.created_by,
});

/** What sessions and sandboxes of a sample are for. */
export const originOf = ({ evaluation }: ItemContext) =>
  evaluation.optimization_job_id === null ? 'eval' : 'optimization';

export const titleOf = ({ task_name, task_version, row_index, sample }: RunItem) =>
  `${task_name === null ? `row ${row_index}` : `${task_name}@${task_version}`}${sample > 1 ? ` (${sample})` : ''}`.slice(
    0,
    255,
  );
