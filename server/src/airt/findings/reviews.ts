/** The history of findings: one row for every edit, which nothing changes or deletes. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import type { Severity } from '../../platform/red-team/scoring/severity.ts';
import type { FindingType } from '../../platform/red-team/scoring/summary.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { recordReview } from '../lineage.ts';
import type { FindingDetailOf, FindingState } from '../schema.ts';

export interface FindingRef {
  readonly organizationId: string;
  readonly assessmentId: string;
  readonly id: string;
}

/** The fields of a finding that triage changes. */
export interface Triaged {
  readonly finding_status: FindingState;
  readonly finding_type: FindingType;
  readonly severity: Severity;
}

export interface LockedFinding extends Triaged {
  readonly organization_id: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly assessment_id: string;
  readonly attack_name: string;
  readonly original_severity: string | null;
}

/** Locks findings in the order of their ids, so that two changes of several never wait for each other. */
export async function lockFindings(
  trx: Trx,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly LockedFinding[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<LockedFinding>`
    SELECT organization_id, id, workspace_id, assessment_id, attack_name, finding_status, finding_type, severity, original_severity
      FROM airt_findings WHERE organization_id = ${organizationId} AND id = ANY (${[...ids]}::uuid[])
     ORDER BY id FOR NO KEY UPDATE`.execute(trx);
  return rows;
}

export interface Review {
  /** null: the system. */
  readonly userId: string | null;
  readonly updatedBy: string;
  readonly reasoning: string | null;
  readonly retestId: string | null;
}

/** The caller holds the lock of the finding, so the order of ids is the order of edits. */
export async function appendReview(
  trx: Trx,
  before: LockedFinding,
  after: Triaged,
  { userId, updatedBy, reasoning, retestId }: Review,
): Promise<void> {
  const id = uuidv7();
  await recordReview(trx, before, id);
  await trx
    .insertInto('airt_finding_reviews')
    .values({
      organization_id: before.organization_id,
      id,
      workspace_id: before.workspace_id,
      assessment_id: before.assessment_id,
      finding_id: before.id,
      attack_name: before.attack_name,
      original_finding_type: before.finding_type,
      updated_finding_type: after.finding_type,
      original_severity: before.severity,
      updated_severity: after.severity,
      original_status: before.finding_status,
      updated_status: after.finding_status,
      reasoning,
      retest_id: retestId,
      user_id: userId,
      updated_by: updatedBy,
    })
    .execute();
}

type ReviewEvent = FindingDetailOf['review_events'][number];

/** @returns by finding, oldest first */
export async function listReviews(
  db: Db,
  organizationId: string,
  findingIds: readonly string[],
): Promise<ReadonlyMap<string, ReviewEvent[]>> {
  const { rows } = await sql<ReviewEvent & { readonly finding_id: string }>`
    SELECT finding_id, original_finding_type, updated_finding_type, original_severity, updated_severity, original_status,
           updated_status, reasoning, updated_by, updated_at, retest_id
      FROM airt_finding_reviews
     WHERE organization_id = ${organizationId} AND finding_id = ANY (${[...findingIds]}::uuid[]) ORDER BY updated_at, id`.execute(
    db,
  );
  return Map.groupBy(rows, (row) => row.finding_id);
}
