/** The context in which a job runs: tools of the process, the job, and the work that fences its writes. */
import { scopeOf } from '../../accounts/service.ts';
import type { Inference } from '../../inference/service.ts';
import type { CapabilityTexts } from '../../platform/agent/capability-components.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Work } from '../../platform/jobs/job-kind.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { StoredJob } from '../stored-job.ts';

export interface RunTools {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly inference: Inference;
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export type JobWork = Work<Record<string, never>>;

export interface JobContext {
  readonly tools: RunTools;
  readonly work: JobWork;
  readonly job: StoredJob;
  /** The texts of the capability as it is. */
  readonly texts: CapabilityTexts;
}

/** @throws {ApiError} `forbidden_error` once the creator has lost the rights */
export const creatorScope = ({ tools, work, job }: JobContext): Promise<WorkspaceScope> =>
  scopeOf(
    tools.db,
    { organizationId: work.organizationId, workspaceId: job.workspace_id },
    job.created_by,
    work.id,
  );

/** The organization has no credits left: the job ends and keeps what it has. */
export class OutOfCredits extends Error {}

/** A row or task could not be scored because of an infrastructure error: the job fails, and a retry continues from there. */
export class Unscored extends Error {}
