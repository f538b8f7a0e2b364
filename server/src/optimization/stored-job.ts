/** Optimization jobs and their examples as they are stored. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import type { RewardRecipe } from '../platform/rewards/rewards.ts';
import type { FoundTask } from '../registry/service.ts';
import type { OptimizationConfig } from './config-schema.ts';
import type { DatasetRefOf, TargetKind } from './schema.ts';

/** `optimization_jobs.request`: the request with defaults, and with versions resolved. */
export interface StoredRequest {
  readonly capability: {
    readonly name: string;
    readonly version: string;
    readonly ownerId: string;
    readonly artifactId: string;
    readonly versionId: string;
    readonly digest: string;
  };
  readonly agent_name: string;
  /** The components listed by the request or the default, without the names of skills. */
  readonly components: readonly string[];
  readonly config: OptimizationConfig;
  readonly dataset_ref: DatasetRefOf | null;
  readonly val_dataset_ref: DatasetRefOf | null;
  /** The versions of the two datasets; absent in jobs that were created before lineage was recorded. */
  readonly dataset_version?: DatasetVersion | null;
  readonly val_dataset_version?: DatasetVersion | null;
  readonly task_refs: readonly string[] | null;
  readonly val_task_refs: readonly string[] | null;
  /** Absent in jobs from before there were sets. */
  readonly task_set?: string | null;
  readonly reward_recipe: Required<RewardRecipe>;
  readonly objective: string | null;
  readonly holdout_fraction: number;
  readonly run_ref: string | null;
  readonly metric_calls_floor: number;
}

export interface DatasetVersion {
  readonly ownerId: string;
  readonly versionId: string;
}

/** The columns of a job that its worker reads. */
export interface StoredJob {
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly created_by: string;
  readonly name: string | null;
  readonly model: string;
  readonly target_kind: TargetKind;
  readonly request: StoredRequest;
  readonly seed_candidate: Readonly<Record<string, string>>;
  readonly train_size: number;
  readonly val_size: number;
  readonly holdout_size: number;
  readonly event_count: number;
  readonly running_ms: number;
}

export async function getStoredJob(db: Db, { organizationId, id }: JobRef): Promise<StoredJob> {
  const { rows } = await sql<StoredJob>`
    SELECT workspace_id, project_id, created_by, name, model, target_kind, request, seed_candidate, train_size, val_size,
           holdout_size, event_count, running_ms
      FROM optimization_jobs WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const [job] = rows;
  if (!job) throw new Error(`optimization job ${id} is gone`);
  return job;
}

export const SPLITS = ['train', 'validation', 'holdout'] as const;
export type ExampleSplit = (typeof SPLITS)[number];

/** A row or a task, which is stored as `optimization_examples.source`. */
export type Example =
  | { readonly row: RowSource; readonly rowIndex: number; readonly task?: never }
  | { readonly task: FoundTask; readonly row?: never; readonly rowIndex?: never };

export interface RowSource {
  readonly input: string;
  readonly columns: Readonly<Record<string, string>>;
}
