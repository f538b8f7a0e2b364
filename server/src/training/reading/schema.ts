/** Requests that read training jobs, and what they answer with. */
import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';
import { BACKEND_NAMES, JOB_STATES, TRAINER_TYPES, TrainingJobResponse, toBackend } from '../schema.ts';

export const JobQuery = z.object({
  page: z.int().min(1).default(1).describe('1-indexed'),
  page_size: z.int().min(1).max(100).default(20),
  status: z.enum(JOB_STATES).optional(),
  backend: z.enum(BACKEND_NAMES).transform(toBackend).optional(),
  trainer_type: z.enum(TRAINER_TYPES).optional(),
  project_ref: z.string().max(255).optional().describe('Key or id of a project'),
});

export type JobListQuery = z.output<typeof JobQuery>;

export const TrainingJobListResponse = z
  .object({
    items: z.array(TrainingJobResponse),
    total: z.int(),
    page: z.int().describe('1-indexed'),
    page_size: z.int(),
  })
  .meta({ id: 'TrainingJobListResponse' });

export const LogQuery = z.object({
  after: z.string().max(64).optional().describe('The `id` of the last line that was read'),
  limit: z.int().min(1).max(1_000).default(500),
});

export const TrainingLogsResponse = z
  .object({
    items: z.array(
      z.object({
        id: Id,
        timestamp: Timestamp,
        level: z.enum(['debug', 'info', 'warning', 'error']),
        message: z.string(),
        data: z.record(z.string(), z.unknown()).nullable(),
      }),
    ),
  })
  .meta({ id: 'TrainingLogsResponse' });

export const MetricsQuery = z.object({
  names: z
    .union([z.string().max(63), z.array(z.string().max(63)).max(50)])
    .transform((given) => (typeof given === 'string' ? given.split(',') : given))
    .optional()
    .describe('All by default; repeated, or with commas between them'),
  max_points: z.int().min(10).max(10_000).default(1_000).describe('Of each metric'),
});

export const TrainingMetricsResponse = z
  .object({
    series: z.record(
      z.string(),
      z.object({
        steps: z.array(z.int()),
        values: z.array(z.number()),
        total: z.int().describe('Points that are stored'),
      }),
    ),
  })
  .meta({ id: 'TrainingMetricsResponse' });

const Publication = z.object({
  model: z.string(),
  version: z.string(),
  step: z.int(),
  is_final: z.boolean(),
  published_at: Timestamp.nullable(),
});

export const TrainingCheckpointsResponse = z
  .object({
    items: z.array(
      z.object({
        step: z.int(),
        attempt: z.int(),
        metrics: z.record(z.string(), z.number()),
        size_bytes: z.int(),
        digest: z.string().describe('Over the paths and digests of its files'),
        servable: z.boolean().describe('It holds an adapter, so that it can be published'),
        published: z.array(Publication),
        created_at: Timestamp,
      }),
    ),
  })
  .meta({ id: 'TrainingCheckpointsResponse' });

export const TrainingArtifactsResponse = z
  .object({
    artifacts: z.object({
      model: Publication.nullable().describe('The version published at the end of the job'),
      published: z.array(Publication),
      checkpoints: z.array(z.object({ step: z.int(), size_bytes: z.int(), digest: z.string() })),
      lineage: z.record(z.string(), z.unknown()),
    }),
  })
  .meta({ id: 'TrainingArtifactsResponse' });

export const RolloutQuery = z.object({ step: z.int().min(0).optional() });

export const TrainingRolloutsResponse = z
  .object({ items: z.array(z.object({ step: z.int(), session_id: Id, reward: z.number().nullable() })) })
  .meta({ id: 'TrainingRolloutsResponse' });

export const TrainingBackendsResponse = z
  .object({
    backends: z.array(
      z.object({
        backend: z.string(),
        trainer_types: z.array(z.string()),
        engine: z.string().nullable(),
        available: z
          .boolean()
          .describe(
            'Whether a trainer has asked for jobs within the last minute, or is started when a job is queued',
          ),
        reason: z.string().nullable().describe('Why it is not available, and what to do'),
      }),
    ),
    workers: z.array(
      z.object({
        name: z.string(),
        engines: z.array(z.string()),
        resources: z.record(z.string(), z.unknown()),
        seen_at: Timestamp,
        job_id: Id.nullable(),
      }),
    ),
    local_trainer: z.object({
      installed: z.boolean(),
      detail: z.string(),
    }),
    queued_jobs: z.int(),
  })
  .meta({ id: 'TrainingBackendsResponse' });

export const CatalogQuery = z.object({ limit: z.int().min(1).max(100).default(20) });

export const TrainingCatalogResponse = z
  .object({
    models: z.array(
      z.object({
        name: z.string().describe('For `model` of a job'),
        version: z.string(),
        summary: z.string().nullable(),
        architecture: z.string().nullable(),
        size_bytes: z.int(),
        backends: z.array(z.string()),
        trainer_types: z.array(z.string()),
      }),
    ),
    total: z.int(),
    limit: z.int(),
  })
  .meta({ id: 'TrainingCatalogResponse' });
