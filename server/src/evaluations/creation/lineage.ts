/** What an evaluation and the sessions of its samples are recorded as made from. */
import type { WorkspacePlace } from '../../accounts/service.ts';
import { findModelNode } from '../../inference/service.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import {
  type LineageParent,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from '../../platform/lineage/lineage.ts';
import type { EvaluatedDataset, StoredLineage } from '../stored-request.ts';
import type { PinnedCapability } from './find-agent.ts';

interface Sources {
  readonly capability: PinnedCapability | null;
  readonly model: string;
  readonly dataset: EvaluatedDataset | null;
}

/** The capability, the dataset, and the model where it is one of the registry (`local/…`). */
export async function findLineage(
  trx: Trx,
  organizationId: string,
  { capability, model, dataset }: Sources,
): Promise<StoredLineage> {
  const parents: LineageParent[] = [];
  if (capability)
    parents.push({
      node: toArtifactNode(organizationId, 'capability', capability),
      relation: 'capability',
    });
  const node = await findModelNode(trx, organizationId, model);
  if (node) parents.push({ node, relation: 'model' });
  return { parents, dataset };
}

/** An evaluation is not a child of its tasks: a model that was trained on two of its sessions must not inherit all of them. */
export async function recordEvaluation(
  trx: Trx,
  { organizationId, workspaceId }: WorkspacePlace,
  id: string,
  { parents }: StoredLineage,
): Promise<void> {
  await recordLineage(trx, organizationId, [
    { node: toWorkspaceNode('evaluation', { workspaceId, id }), parents },
  ]);
}
