/** The context in which a finding's attack runs: tools of the process, the assessment, the finding, and the claimed row that fences writes. */
import { sql } from 'kysely';
import { scopeOf } from '../../accounts/service.ts';
import type { Inference } from '../../inference/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ClaimedRow, JobRef } from '../../platform/jobs/job-kind.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import type { StoredAttack, StoredExecution } from '../stored-run.ts';

export interface RunTools {
  readonly db: Db;
  readonly vault: Vault;
  readonly inference: Inference;
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export interface SharedTools extends RunTools {
  /** Sends requests to `http` targets, apart from those to model providers. */
  readonly targets: GuardedClient;
  /** Scopes of creators, by the id of the assessment; see `creatorScope`. */
  readonly scopes: ShortMemory<WorkspaceScope>;
}

export interface RunAssessment {
  readonly workspace_id: string;
  readonly project_id: string;
  readonly created_by: string;
  readonly name: string;
  readonly execution: StoredExecution;
  readonly retest_of: string | null;
}

export interface RunFinding {
  readonly id: string;
  readonly position: number;
  readonly attack_name: string;
  readonly goal: string;
  readonly goal_category: string | null;
  readonly request: StoredAttack;
}

export interface FindingContext {
  readonly tools: SharedTools;
  readonly organizationId: string;
  readonly assessmentId: string;
  readonly assessment: RunAssessment;
  readonly finding: RunFinding;
  /** Its `save` is refused once another attempt of the job has begun. */
  readonly row: ClaimedRow;
  readonly signal: AbortSignal;
}

/** The organization has no credits left, or the budget is used up: the assessment ends and keeps what it has. */
export class OutOfBudget extends Error {
  readonly reason: 'credits' | 'budget';

  constructor(reason: 'credits' | 'budget', message: string) {
    super(message);
    this.reason = reason;
  }
}

export async function getRunAssessment(db: Db, { organizationId, id }: JobRef): Promise<RunAssessment> {
  const { rows } = await sql<RunAssessment>`
    SELECT workspace_id, project_id, created_by, name, execution, retest_of FROM airt_assessments
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`assessment ${id} is gone`);
  return row;
}

export async function getRunFinding(db: Db, { organizationId, id }: JobRef): Promise<RunFinding> {
  const { rows } = await sql<RunFinding>`
    SELECT id, position, attack_name, goal, goal_category, request FROM airt_findings
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`finding ${id} is gone`);
  return row;
}

/**
 * Returns the scope of the assessment's creator. It is read at each use and cached for 0.7 s, so that lost rights end the work within a
 * second.
 * @throws {ApiError} `forbidden_error` after the rights are lost
 */
export function creatorScope({ tools, organizationId, assessmentId, assessment }: FindingContext) {
  const place = { organizationId, workspaceId: assessment.workspace_id };
  const lookUp = () => scopeOf(tools.db, place, assessment.created_by, assessmentId);
  return tools.scopes.get(assessmentId, lookUp);
}
