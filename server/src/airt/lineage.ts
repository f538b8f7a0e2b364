/** Records the lineage of findings, reviews and retests. */
import { findModelNode } from '../inference/service.ts';
import type { Trx } from '../platform/db/transaction.ts';
import {
  type LineageParent,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from '../platform/lineage/lineage.ts';
import type { StoredExecution } from './stored-run.ts';

interface AssessmentPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly assessmentId: string;
}

/** The capability that is attacked, and the model where it is one of the registry. */
export async function findTarget(
  trx: Trx,
  organizationId: string,
  { agent, targetModel }: StoredExecution,
): Promise<LineageParent[]> {
  const { name = '', version = '', ownerId, versionId } = agent?.capability ?? {};
  const model = await findModelNode(trx, organizationId, targetModel);
  const capability =
    ownerId &&
    versionId &&
    toArtifactNode(organizationId, 'capability', { ownerId, versionId, name, version });
  return [capability, model].flatMap((node) => (node ? [{ node, relation: 'target' as const }] : []));
}

export async function recordFindings(
  trx: Trx,
  { organizationId, workspaceId, assessmentId }: AssessmentPlace,
  findingIds: readonly string[],
  targets: readonly LineageParent[],
): Promise<void> {
  const assessment = toWorkspaceNode('assessment', { workspaceId, id: assessmentId });
  const parents: LineageParent[] = [{ node: assessment, relation: 'run' }, ...targets];
  const children = findingIds.map((id) => ({
    node: toWorkspaceNode('finding', { workspaceId, id }),
    parents,
  }));
  await recordLineage(trx, organizationId, children);
}

/** A retest is an assessment that tries a finding again. */
export async function recordRetest(
  trx: Trx,
  { organizationId, workspaceId }: Omit<AssessmentPlace, 'assessmentId'>,
  { assessmentId, findingId }: { readonly assessmentId: string; readonly findingId: string },
): Promise<void> {
  const finding = toWorkspaceNode('finding', { workspaceId, id: findingId });
  await recordLineage(trx, organizationId, [
    {
      node: toWorkspaceNode('assessment', { workspaceId, id: assessmentId }),
      parents: [{ node: finding, relation: 'retry' }],
    },
  ]);
}

export async function recordReview(
  trx: Trx,
  finding: { readonly organization_id: string; readonly workspace_id: string; readonly id: string },
  reviewId: string,
): Promise<void> {
  const { organization_id: organizationId, workspace_id: workspaceId, id } = finding;
  const parents = [{ node: toWorkspaceNode('finding', { workspaceId, id }), relation: 'review' as const }];
  await recordLineage(trx, organizationId, [
    { node: toWorkspaceNode('review', { workspaceId, id: reviewId }), parents },
  ]);
}
