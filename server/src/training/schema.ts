/** Training jobs in the API. */
import { z } from 'zod';
import { UserIdentity } from '../accounts/service.ts';
import { Id, Timestamp } from '../platform/fields.ts';

export const JOB_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const BACKENDS = ['hosted_a', 'hosted_b'] as const;
/** The names of the products whose clients are to be used here, and ours. */
const VENDOR_BACKENDS = { tinker: 'hosted_a', ray: 'hosted_b' } as const;

/** Backends in requests, by either name. */
export const BACKEND_NAMES = [...BACKENDS, 'tinker', 'ray'] as const;

/** @returns our name */
export const toBackend = (name: (typeof BACKEND_NAMES)[number]) =>
  name === 'tinker' || name === 'ray' ? VENDOR_BACKENDS[name] : name;

/** @returns the name that clients of those products expect */
export const toVendorName = (backend: string) =>
  Object.entries(VENDOR_BACKENDS).find(([, own]) => own === backend)?.[0] ?? backend;

export const TRAINER_TYPES = ['sft', 'rl'] as const;

export const JOB_PATH = '/training/jobs/:job_id';
export const JobParams = z.object({ job_id: z.string() });

/** A reference in responses. A schema that requests use too would be in the OpenAPI document twice. */
const ShownDataset = z.object({ name: z.string(), version: z.string(), split: z.string().nullish() });

export const TrainingJobResponse = z
  .object({
    id: Id,
    organization_id: Id,
    workspace_id: Id,
    name: z.string().nullable(),
    backend: z.string().describe('`hosted_a`'),
    trainer_type: z.enum(TRAINER_TYPES),
    algorithm: z.enum(['grpo', 'importance_sampling', 'ppo']).nullable(),
    status: z.enum(JOB_STATES),
    model: z.string(),
    capability: z.object({
      name: z.string(),
      version: z.string(),
      artifact_id: Id.nullable(),
      runtime_digest: z.string().nullable(),
    }),
    config: z.record(z.string(), z.unknown()).describe('As it was sent'),
    dataset_ref: ShownDataset.nullable(),
    prompt_dataset_ref: ShownDataset.nullable(),
    trajectory_dataset_refs: z.array(ShownDataset),
    metrics: z
      .record(z.string(), z.unknown())
      .describe('`effective_config`, figures, and curves of at most 500 points; lists have no curves'),
    artifacts: z
      .record(z.string(), z.unknown())
      .describe('`model`: the version published at the end of the job; `published`: all versions'),
    project_ref: z.string().nullable(),
    run_ref: z.string().nullable(),
    task_ref: z.string().nullable(),
    tags: z.array(z.string()),
    retry_of: Id.nullable(),
    worker: z.string().nullable().describe('The trainer that has, or had, the job'),
    attempt: z.int().describe('How often a trainer has claimed it'),
    step: z.int().describe('The last step that was reported'),
    error: z.string().nullable(),
    waiting_reason: z.string().nullable().describe('Why no trainer gets the job while it is queued'),
    cancel_requested_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
    created_by_email: z.string().nullable(),
    created_by_user: UserIdentity.nullable(),
  })
  .meta({ id: 'TrainingJobResponse' });

export type TrainingJobOf = z.output<typeof TrainingJobResponse>;

/** A job as it is stored; why it waits depends on the credits of its organization. */
export type FoundJob = Omit<TrainingJobOf, 'waiting_reason'>;

/** Adds why jobs of one organization wait, and the name of the backend that clients of this server expect. */
export interface JobView {
  one(job: FoundJob): Promise<TrainingJobOf>;
  all(jobs: readonly FoundJob[]): Promise<TrainingJobOf[]>;
}
