/** What a training job is recorded as made from. */
import type { Trx } from '../platform/db/transaction.ts';
import {
  type LineageNode,
  type LineageParent,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from '../platform/lineage/lineage.ts';
import type { StoredRequest } from './stored-job.ts';

interface JobPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly id: string;
}

export const toJobNode = ({ workspaceId, id }: Omit<JobPlace, 'organizationId'>): LineageNode =>
  toWorkspaceNode('training_job', { workspaceId, id });

/**
 * Records the parents of a job. The dataset on which a job is measured does not shape its model.
 * @param retryOf the job that this one continues
 */
export async function recordJob(
  trx: Trx,
  job: JobPlace,
  { capability, base, datasets }: StoredRequest,
  retryOf: string | null,
): Promise<void> {
  const { organizationId, workspaceId } = job;
  const parents: LineageParent[] = [
    { node: toArtifactNode(organizationId, 'capability', capability), relation: 'capability' },
    ...(base ? [{ node: toArtifactNode(organizationId, 'model', base), relation: 'base' as const }] : []),
    ...datasets.map(
      (dataset): LineageParent => ({
        node: toArtifactNode(organizationId, 'dataset', dataset),
        relation: dataset.role === 'eval' ? 'measured' : 'train',
        split: dataset.split,
      }),
    ),
    ...(retryOf ? [{ node: toJobNode({ workspaceId, id: retryOf }), relation: 'retry' as const }] : []),
  ];
  await recordLineage(trx, organizationId, [{ node: toJobNode(job), parents }]);
}
