/** The worker protocol, version 1: what trainers send, and what they get. docs/design/training.md tells how it is used. */
import { z } from 'zod';
import { DateTime, Id } from '../../platform/fields.ts';
import { listOf } from '../../platform/http/requests/lists.ts';

export const PROTOCOL = 1;
const MAX_INT = 2_147_483_647;
const MAX_RECORDS = 1_000;
const MAX_CHECKPOINT_FILES = 200;
const MAX_METRICS = 50;
/** Sums of values within this bound stay finite. */
const MAX_METRIC = 1e300;
/** 4,096 parts. */
const MAX_CHECKPOINT_BYTES = 256 * 1024 ** 3;

const Text = z.string().min(1).max(255);
const Step = z.int().min(0).max(MAX_INT);
const Count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Message = z.string().max(20_000);
const AnyObject = z.record(z.string(), z.unknown());
const Attempt = z.int().min(1).max(MAX_INT);

export const TrainingClaimRequest = z
  .object({
    worker: Text.describe('A name of the trainer that is unique in the workspace'),
    engines: listOf(z.string().min(1).max(63), 10, 1),
    protocol: z.literal(PROTOCOL, {
      error: `this server speaks protocol ${PROTOCOL}; use a trainer of its version`,
    }),
    wait_seconds: z.int().min(0).max(25).default(20).describe('How long to wait for a job'),
    resources: AnyObject.default({}).describe('Device, memory, versions of libraries'),
  })
  .meta({ id: 'TrainingClaimRequest' });

export type ClaimRequest = z.output<typeof TrainingClaimRequest>;

const FileLink = z
  .object({ path: z.string(), size_bytes: z.int(), sha256: z.string(), url: z.string() })
  .meta({ id: 'TrainingFileLink' });

const files = {
  model: z.object({
    reference: z.string(),
    files: z
      .array(FileLink)
      .nullable()
      .describe('null: not in the registry; the trainer decides whether it has it'),
  }),
  datasets: z.array(
    z.object({
      role: z.enum(['train', 'eval', 'trajectories']),
      name: z.string(),
      version: z.string(),
      split: z.string(),
      format: z.enum(['jsonl', 'csv', 'parquet']),
      row_count: z.int(),
      file: FileLink,
    }),
  ),
  checkpoint: z
    .object({
      step: z.int(),
      files: z.array(
        z.object({
          path: z.string(),
          size_bytes: z.int(),
          sha256: z.string(),
          parts: z.array(z.object({ size_bytes: z.int(), url: z.string() })),
        }),
      ),
    })
    .nullable()
    .describe('Where to continue'),
};

/** Links of a job live for 15 minutes; its trainer can get new ones. */
export const TrainingFilesResponse = z.object(files).meta({ id: 'TrainingFilesResponse' });

export type JobFiles = z.output<typeof TrainingFilesResponse>;

const Lease = z.object({ seconds: z.int() });

export const TrainingClaimResponse = z
  .object({
    job: z
      .object({
        id: Id,
        attempt: z.int(),
        name: z.string().nullable(),
        backend: z.string(),
        trainer_type: z.string(),
        engine: z.string(),
        lease: Lease,
        capability: z.object({
          name: z.string(),
          version: z.string(),
          system_prompt: z.string().nullable().describe('For every example without a system message'),
        }),
        config: z.record(z.string(), z.unknown()),
        ...files,
      })
      .nullable()
      .describe('null: none waited'),
  })
  .meta({ id: 'TrainingClaimResponse' });

export type ClaimedJob = NonNullable<z.output<typeof TrainingClaimResponse>['job']>;

const Metrics = z
  .record(
    z
      .string()
      .regex(/^[a-z][a-z0-9_]*(\/[a-z0-9_]+)*$/)
      .max(63),
    z.number().min(-MAX_METRIC).max(MAX_METRIC),
  )
  .refine((metrics) => Object.keys(metrics).length <= MAX_METRICS, `has more than ${MAX_METRICS} metrics`);

const record = { seq: z.int().min(1).max(MAX_INT), timestamp: DateTime };

const Report = z.discriminatedUnion('type', [
  z.looseObject({
    ...record,
    type: z.literal('training_start'),
    step: Step,
    total_steps: Step,
    num_examples: Count,
    num_tokens: Count,
    truncated_examples: Count.default(0),
    skipped_examples: Count.default(0),
    engine: AnyObject.default({}),
    libraries: AnyObject.default({}),
  }),
  z.object({
    ...record,
    type: z.literal('step_complete'),
    step: Step,
    epoch: z.number(),
    num_tokens_processed: Count,
    metrics: Metrics,
  }),
  z.object({ ...record, type: z.literal('eval_complete'), step: Step, metrics: Metrics }),
  z.object({ ...record, type: z.literal('checkpoint_saved'), step: Step, metrics: Metrics.default({}) }),
  z.object({
    ...record,
    type: z.literal('log'),
    level: z.enum(['debug', 'info', 'warning', 'error']),
    message: Message,
    data: AnyObject.nullish(),
  }),
  z.object({
    ...record,
    type: z.literal('training_error'),
    kind: z.enum(['refused', 'bad_data', 'out_of_memory', 'nan_loss', 'disk_full', 'error']),
    field: Text.nullish(),
    message: Message,
  }),
  z.object({
    ...record,
    type: z.literal('training_end'),
    step: Step,
    checkpoint_step: Step,
    metrics: Metrics.default({}),
  }),
  z.object({ ...record, type: z.literal('cancelled') }),
]);

export type ReportOf = z.output<typeof Report>;

export const TrainingProgressRequest = z
  .object({ attempt: Attempt, records: listOf(Report, MAX_RECORDS) })
  .meta({ id: 'TrainingProgressRequest' });

export type ProgressRequest = z.output<typeof TrainingProgressRequest>;

export const TrainingProgressResponse = z
  .object({
    action: z.enum(['continue', 'cancel']),
    next_seq: z.int().describe('Records before it are stored'),
    lease: Lease,
  })
  .meta({ id: 'TrainingProgressResponse' });

export type ProgressOf = z.output<typeof TrainingProgressResponse>;

export const TrainingFilesRequest = z.object({ attempt: Attempt }).meta({ id: 'TrainingFilesRequest' });

/** Paths without `..`, so that a trainer that resumes writes below its own folder. */
const FilePath = z
  .string()
  .max(255)
  .regex(/^(?!\.)[A-Za-z0-9._-]+(\/(?!\.)[A-Za-z0-9._-]+)*$/, 'must be a relative path of plain names');

export const TrainingCheckpointRequest = z
  .object({
    attempt: Attempt,
    step: Step,
    files: listOf(
      z.object({
        path: FilePath,
        size_bytes: z.int().min(0).max(MAX_CHECKPOINT_BYTES),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal'),
      }),
      MAX_CHECKPOINT_FILES,
      1,
    ),
  })
  .superRefine(({ files: given }, context) => {
    if (given.reduce((sum, { size_bytes }) => sum + size_bytes, 0) > MAX_CHECKPOINT_BYTES)
      context.addIssue({ code: 'custom', path: ['files'], message: 'hold more than 256 GiB', input: given });
    if (new Set(given.map(({ path }) => path)).size < given.length)
      context.addIssue({ code: 'custom', path: ['files'], message: 'names a path twice', input: given });
  })
  .meta({ id: 'TrainingCheckpointRequest' });

export type CheckpointRequest = z.output<typeof TrainingCheckpointRequest>;

export const TrainingCheckpointUploads = z
  .object({
    files: z.array(
      z.object({
        path: z.string(),
        parts: z.array(z.object({ offset: z.int(), size_bytes: z.int(), url: z.string() })),
      }),
    ),
  })
  .meta({ id: 'TrainingCheckpointUploads' });
