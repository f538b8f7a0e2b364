/** The journey of a capability: each version with what changed, what made it, and what this workspace has measured of it. */
import { type AssessmentOfVersion, countFindingsOf, listAssessmentsOf } from '../airt/service.ts';
import { listEvaluationsOf } from '../evaluations/service.ts';
import { listChecksOf } from '../gates/service.ts';
import { listPromotionsOf, type Promotion } from '../optimization/service.ts';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { listChangedFiles, listPublishedVersions } from '../registry/service.ts';
import type { JourneyOf, JourneyPage, JourneyVersionOf } from './schema.ts';

const MAX_RUNS = 5;
const MAX_CHECKS = 10;

/** @throws {ApiError} `not_found_error` for a capability that the caller cannot see */
export async function getJourney(
  db: Db,
  scope: Pick<WorkspaceScope, 'organizationId' | 'workspaceId' | 'role'>,
  given: string,
  page: JourneyPage,
): Promise<JourneyOf> {
  const { ownerId, name, versions, total } = await listPublishedVersions(
    db,
    scope,
    'capability',
    given,
    page,
  );
  const versionIds = versions.map(({ id }) => id);
  const numbers = versions.map(({ version }) => version);
  // Promotions name capabilities of the own organization.
  const promotions =
    ownerId === scope.organizationId
      ? await listPromotionsOf(db, scope, { name, versions: numbers })
      : new Map<string, Promotion>();
  const evaluations = await listEvaluationsOf(db, scope, { name, versions: numbers, limit: MAX_RUNS });
  const assessments = await listAssessmentsOf(db, scope, { versionIds, limit: MAX_RUNS });
  const checks = await listChecksOf(db, scope, { versionIds, limit: MAX_CHECKS });
  const findings = await countFindingsOf(db, scope, versionIds);
  const changes = await listChangedFiles(
    db,
    versions.map(({ id, version, previousId }) => {
      const { fromOwnerId, fromVersionId } = promotions.get(version) ?? {};
      const madeFrom =
        fromOwnerId && fromVersionId ? [{ ownerId: fromOwnerId, versionId: fromVersionId }] : [];
      const previous = previousId === null ? [] : [{ ownerId, versionId: previousId }];
      return { ownerId, versionId: id, bases: [...madeFrom, ...previous] };
    }),
  );
  const changed = new Map(changes.map((one) => [one.versionId, one]));
  const items = versions.map(
    ({ id, version, is_prerelease, created_at, description }): JourneyVersionOf => ({
      version,
      is_prerelease,
      created_at,
      description,
      made_by: toMadeBy(promotions.get(version)),
      changed_files: [...(changed.get(id)?.paths ?? [])],
      changed_file_count: changed.get(id)?.count ?? 0,
      evaluations: evaluations.get(version) ?? [],
      assessments: (assessments.get(id) ?? []).map(toAssessment),
      checks: checks.get(id) ?? [],
      findings: findings.get(id) ?? { opened: 0, remediated: 0 },
    }),
  );
  return { capability: name, items, total, page: page.page, page_size: page.page_size };
}

const toAssessment = ({ success, ...assessment }: AssessmentOfVersion) => ({
  ...assessment,
  asr: success.asr,
  asr_interval: success.interval && { ...success.interval },
  n: success.n,
});

function toMadeBy(promotion: Promotion | undefined): JourneyVersionOf['made_by'] {
  if (!promotion) return null;
  const { fromOwnerId: _, fromVersionId: __, ...madeBy } = promotion;
  return madeBy;
}
