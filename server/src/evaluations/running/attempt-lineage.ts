/** Records what the session of an attempt was made from. */
import type { Trx } from '../../platform/db/transaction.ts';
import {
  type LineageNode,
  type LineageParent,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from '../../platform/lineage/lineage.ts';
import type { ItemContext } from './context.ts';

/** Records the lineage of a session in the transaction that creates it, with one statement. */
export async function recordAttempt(trx: Trx, context: ItemContext, sessionId: string): Promise<void> {
  const { organizationId, evaluation } = context;
  const node = toWorkspaceNode('session', { workspaceId: evaluation.workspace_id, id: sessionId });
  const parents: LineageParent[] = [
    { node: toRun(context), relation: 'run' },
    ...(evaluation.execution.lineage?.parents ?? []),
    ...findSource(context),
  ];
  await recordLineage(trx, organizationId, [{ node, parents }]);
}

/** The job or finding that the evaluation belongs to, else the evaluation. */
function toRun({ evaluation, evaluationId }: ItemContext): LineageNode {
  const { workspace_id: workspaceId, optimization_job_id, airt_finding_id } = evaluation;
  if (optimization_job_id !== null)
    return toWorkspaceNode('optimization_job', { workspaceId, id: optimization_job_id });
  if (airt_finding_id !== null) return toWorkspaceNode('finding', { workspaceId, id: airt_finding_id });
  return toWorkspaceNode('evaluation', { workspaceId, id: evaluationId });
}

/** The task, or the row of the dataset. */
function findSource({ organizationId, evaluation, item }: ItemContext): LineageParent[] {
  const {
    task_name: name,
    task_version: version,
    owner_id: ownerId,
    version_id: versionId,
    row_index,
  } = item;
  if (name !== null && version !== null && ownerId !== null && versionId !== null) {
    const node = toArtifactNode(organizationId, 'task', { ownerId, versionId, name, version });
    return [{ node, relation: 'task' }];
  }
  const dataset = evaluation.execution.lineage?.dataset;
  if (!dataset || row_index === null) return [];
  const { node, split, rowIndexes } = dataset;
  return [{ node, relation: 'dataset', split, rows: [rowIndexes?.[row_index] ?? row_index] }];
}
