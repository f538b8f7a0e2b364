/** The worker protocol for training programs. They need a key whose `allowed_scopes` contain `training:work`. */
import type {
  TrainingCheckpointRequest,
  TrainingCheckpointUploads,
  TrainingClaimRequest,
  TrainingClaimResponse,
  TrainingFilesRequest,
  TrainingFilesResponse,
  TrainingProgressRequest,
  TrainingProgressResponse,
} from '../models.gen.ts';
import { type InWorkspace, type OneTrainingJob, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * import { Drydock } from '@drydock/sdk';
 *
 * const { key } = await drydock.apiKeys.create({ name: 'gpu box', allowed_scopes: ['training:work'] });
 * const trainer = new Drydock({ apiKey: key });
 * const { job } = await trainer.trainers.claim(
 *   { org: 'main', workspace: 'main' },
 *   { worker: 'gpu-box', engines: ['local'], protocol: 1, wait_seconds: 0 },
 * );
 * console.log(job); // → null
 * ```
 */
export class Trainers extends Resource {
  /** Waits up to `wait_seconds` for a job. */
  claim(
    where: InWorkspace,
    request: TrainingClaimRequest,
    options?: CallOptions,
  ): Promise<TrainingClaimResponse> {
    return this.client.call('claimTrainingJob', { path: where, body: request }, options);
  }

  /** Renews the lease, even without records. */
  report(
    where: OneTrainingJob,
    request: TrainingProgressRequest,
    options?: CallOptions,
  ): Promise<TrainingProgressResponse> {
    return this.client.call('reportTrainingProgress', { path: where, body: request }, options);
  }

  /** Returns new links to the files of a job after those of the claim have expired. */
  linkFiles(
    where: OneTrainingJob,
    request: TrainingFilesRequest,
    options?: CallOptions,
  ): Promise<TrainingFilesResponse> {
    return this.client.call('linkTrainingFiles', { path: where, body: request }, options);
  }

  /** Returns links for uploading the parts of a checkpoint. */
  uploadCheckpoint(
    where: OneTrainingJob,
    request: TrainingCheckpointRequest,
    options?: CallOptions,
  ): Promise<TrainingCheckpointUploads> {
    return this.client.call('uploadTrainingCheckpoint', { path: where, body: request }, options);
  }
}
