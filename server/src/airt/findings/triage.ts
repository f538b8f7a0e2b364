/** Triage of findings by people (E9), one or many at once. */
import { sql } from 'kysely';
import { getUsername } from '../../accounts/service.ts';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { isUuid } from '../../platform/fields.ts';
import type { FindingDetailOf } from '../schema.ts';
import { appendReview, type LockedFinding, lockFindings, type Triaged } from './reviews.ts';
import type { BulkRequest, UpdateRequest } from './schema.ts';
import { findingNotFound, getFinding, listReviewed } from './store.ts';

/** A request that gives nothing changes nothing. Every other one appends one review event. */
export async function updateFinding(
  db: Db,
  scope: WorkspaceScope,
  given: string,
  request: UpdateRequest,
): Promise<FindingDetailOf> {
  if (!isUuid(given)) throw findingNotFound(given);
  return transactionFor(db, scope, async (trx) => {
    const [id = given] = await triage(trx, scope, [given.toLowerCase()], request);
    return getFinding(trx, scope, id);
  });
}

/**
 * Makes the same change on all of these findings, or on none of them.
 * @returns in the order of the ids, each once
 */
export async function updateFindings(
  db: Db,
  scope: WorkspaceScope,
  { finding_ids, ...request }: BulkRequest,
): Promise<FindingDetailOf[]> {
  return transactionFor(db, scope, async (trx) => {
    const ids = await triage(trx, scope, [...new Set(finding_ids)], request);
    return listReviewed(trx, scope.organizationId, ids);
  });
}

/** @returns the ids in the order in which they were given */
async function triage(
  trx: Trx,
  scope: WorkspaceScope,
  ids: readonly string[],
  request: UpdateRequest,
): Promise<readonly string[]> {
  const { organizationId, workspaceId, principal } = scope;
  const found = await lockFindings(trx, organizationId, ids);
  const known = new Set(found.filter(({ workspace_id }) => workspace_id === workspaceId).map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw findingNotFound(missing);
  if (Object.values(request).every((value) => (value ?? null) === null)) return ids;
  const updatedBy = await getUsername(trx, principal.userId);
  for (const finding of found) {
    const retestId = request.finding_status === 'remediated' ? await findRetest(trx, finding) : null;
    await change(trx, finding, request, retestId);
    const after: Triaged = {
      finding_status: request.finding_status ?? finding.finding_status,
      finding_type: request.finding_type ?? finding.finding_type,
      severity: request.severity ?? finding.severity,
    };
    const reasoning = request.notes ?? null;
    await appendReview(trx, finding, after, { userId: principal.userId, updatedBy, reasoning, retestId });
    const { finding_status, finding_type, severity } = finding;
    await audit(trx, scope, {
      action: 'finding.triaged',
      resource: `airt/findings/${finding.id}`,
      before: { finding_status, finding_type, severity },
      after: { ...after },
    });
  }
  return ids;
}

async function change(
  trx: Trx,
  { organization_id, id, severity: before }: LockedFinding,
  { finding_status, finding_type, severity, notes }: UpdateRequest,
  retestId: string | null,
): Promise<void> {
  const keepsOriginal = (severity ?? before) !== before;
  await sql`
    UPDATE airt_findings
       SET finding_status = coalesce(${finding_status ?? null}, finding_status),
           finding_type = coalesce(${finding_type ?? null}, finding_type),
           severity = coalesce(${severity ?? null}, severity),
           original_severity = CASE WHEN ${keepsOriginal} THEN coalesce(original_severity, severity) ELSE original_severity END,
           is_type_reviewed = is_type_reviewed OR ${(finding_type ?? null) !== null},
           is_severity_reviewed = is_severity_reviewed OR ${(severity ?? null) !== null},
           notes = coalesce(${notes ?? null}, notes), retest_id = coalesce(${retestId}::uuid, retest_id), updated_at = now()
     WHERE organization_id = ${organization_id} AND id = ${id}`.execute(trx);
}

/** The newest proof, a retest or a check of a gate, where it shows that every trial held and ran the attack again. */
async function findRetest(trx: Trx, { organization_id, id }: LockedFinding): Promise<string | null> {
  const { rows } = await sql<{ id: string | null; is_fixed: boolean }>`
    SELECT a.id, a.created_at, f.jailbreak_trials = 0 AS is_fixed FROM airt_assessments AS a
      JOIN airt_findings AS f ON f.organization_id = a.organization_id AND f.assessment_id = a.id AND f.position = 0
     WHERE a.organization_id = ${organization_id} AND a.retest_of = ${id} AND a.status = 'completed' AND f.finished_trials > 0
    UNION ALL
    SELECT assessment_id, created_at, jailbreaks = 0 FROM airt_remediation_evidence
     WHERE organization_id = ${organization_id} AND finding_id = ${id}
     ORDER BY created_at DESC LIMIT 1`.execute(trx);
  return rows[0]?.is_fixed ? rows[0].id : null;
}
