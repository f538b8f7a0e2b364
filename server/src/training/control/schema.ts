/** Requests that change training jobs. */
import { z } from 'zod';
import { ArtifactName, SemVer } from '../../registry/service.ts';

export const CheckpointParams = z.object({
  job_id: z.string(),
  step: z.coerce.number().int().min(0).max(2_147_483_647),
});

export const PublishCheckpointRequest = z
  .object({
    name: ArtifactName.nullish().describe('Of the model; by default the name of the job'),
    version: SemVer.nullish().describe('By default a pre-release such as 1.0.0-step.20'),
  })
  .meta({ id: 'PublishCheckpointRequest' });

export const PublishCheckpointResponse = z
  .object({ name: z.string(), version: z.string(), step: z.int() })
  .meta({ id: 'PublishCheckpointResponse' });
