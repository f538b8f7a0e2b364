/** What an optimization job is recorded as made from: the examples that shape its candidates, and never the holdout. */
import type { EvaluatedDataset } from '../evaluations/service.ts';
import { findModelNode } from '../inference/service.ts';
import type { Trx } from '../platform/db/transaction.ts';
import {
  type LineageNode,
  type LineageParent,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from '../platform/lineage/lineage.ts';
import type { Example, ExampleSplit, StoredRequest } from './stored-job.ts';

interface JobPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly id: string;
}

export const toJobNode = ({ workspaceId, id }: Omit<JobPlace, 'organizationId'>): LineageNode =>
  toWorkspaceNode('optimization_job', { workspaceId, id });

export async function recordJob(
  trx: Trx,
  job: JobPlace,
  model: string,
  request: StoredRequest,
  sets: Readonly<Record<ExampleSplit, readonly Example[]>>,
): Promise<void> {
  const { organizationId } = job;
  const capability = toArtifactNode(organizationId, 'capability', request.capability);
  const modelNode = await findModelNode(trx, organizationId, model);
  const parents: LineageParent[] = [
    { node: capability, relation: 'base' },
    ...(modelNode ? [{ node: modelNode, relation: 'model' as const }] : []),
    ...toExamples(organizationId, request, 'train', sets.train),
    ...toExamples(organizationId, request, 'validation', sets.validation),
  ];
  await recordLineage(trx, organizationId, [{ node: toJobNode(job), parents }]);
}

function toExamples(
  organizationId: string,
  request: StoredRequest,
  relation: 'train' | 'validation',
  examples: readonly Example[],
): LineageParent[] {
  const tasks = examples.flatMap(({ task }) =>
    task ? [{ node: toArtifactNode(organizationId, 'task', task), relation }] : [],
  );
  const rows = examples.flatMap(({ rowIndex }) => rowIndex ?? []);
  const dataset = findExampleDataset(organizationId, request, relation);
  if (!dataset || rows.length === 0) return tasks;
  return [...tasks, { node: dataset.node, relation, split: dataset.split, rows }];
}

/** @returns the dataset whose rows are the examples; null for tasks, and for jobs that were created before versions were stored */
export function findExampleDataset(
  organizationId: string,
  { dataset_ref, val_dataset_ref, dataset_version, val_dataset_version }: StoredRequest,
  split: ExampleSplit,
): EvaluatedDataset | null {
  const isValidation = split === 'validation';
  const ref = isValidation ? val_dataset_ref : dataset_ref;
  const version = isValidation ? val_dataset_version : dataset_version;
  if (!ref || !version) return null;
  const node = toArtifactNode(organizationId, 'dataset', { ...ref, ...version });
  return { node, split: ref.split ?? '' };
}
