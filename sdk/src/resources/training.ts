/** Training jobs: models fine-tuned on datasets and trajectories, by trainers that connect to the server. */
import type { EventOptions, EventStream } from '../event-stream.ts';
import type {
  PublishCheckpointRequest,
  PublishCheckpointResponse,
  TrainingArtifactsResponse,
  TrainingBackendsResponse,
  TrainingCatalogResponse,
  TrainingCheckpointsResponse,
  TrainingEstimateResponse,
  TrainingJobCreateRequest,
  TrainingJobListResponse,
  TrainingJobResponse,
  TrainingLogsResponse,
  TrainingMetricsResponse,
  TrainingRolloutsResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneTrainingJob, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const { backends } = await drydock.training.backends(where);
 * console.log(backends[0]?.backend, backends[0]?.trainer_types); // → hosted_a [ 'sft' ]
 *
 * const { total } = await drydock.training.list(where, { status: 'running' });
 * console.log(total); // → 0
 * ```
 */
export class Training extends Resource {
  /** Validates everything; the job then waits for a trainer. */
  create(
    where: InWorkspace,
    request: TrainingJobCreateRequest,
    options?: CallOptions,
  ): Promise<TrainingJobResponse> {
    return this.client.call('createTrainingJob', { path: where, body: request }, options);
  }

  /** Estimates the examples, tokens, steps and memory of a job without creating it. */
  estimate(
    where: InWorkspace,
    request: TrainingJobCreateRequest,
    options?: CallOptions,
  ): Promise<TrainingEstimateResponse> {
    return this.client.call('estimateTrainingJob', { path: where, body: request }, options);
  }

  /** Lists jobs, newest first. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listTrainingJobs'>,
    options?: CallOptions,
  ): List<TrainingJobListResponse> {
    return this.client.list('listTrainingJobs', { path: where, ...(filters && { query: filters }) }, options);
  }

  get(where: OneTrainingJob, options?: CallOptions): Promise<TrainingJobResponse> {
    return this.client.call('getTrainingJob', { path: where }, options);
  }

  /** Cancels a job; its trainer stops within seconds. Checkpoints are kept. */
  cancel(where: OneTrainingJob, options?: CallOptions): Promise<TrainingJobResponse> {
    return this.client.call('cancelTrainingJob', { path: where }, options);
  }

  /** Creates a new job that continues from the last checkpoint. */
  retry(where: OneTrainingJob, options?: CallOptions): Promise<TrainingJobResponse> {
    return this.client.call('retryTrainingJob', { path: where }, options);
  }

  /** Returns metrics; long curves are thinned out, and keep their extremes. */
  metrics(
    where: OneTrainingJob,
    filters?: QueryOf<'getTrainingMetrics'>,
    options?: CallOptions,
  ): Promise<TrainingMetricsResponse> {
    return this.client.call(
      'getTrainingMetrics',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  logs(
    where: OneTrainingJob,
    filters?: QueryOf<'listTrainingLogs'>,
    options?: CallOptions,
  ): Promise<TrainingLogsResponse> {
    return this.client.call('listTrainingLogs', { path: where, ...(filters && { query: filters }) }, options);
  }

  checkpoints(where: OneTrainingJob, options?: CallOptions): Promise<TrainingCheckpointsResponse> {
    return this.client.call('listTrainingCheckpoints', { path: where }, options);
  }

  /** Publishes a checkpoint as a version of a model. */
  publishCheckpoint(
    where: OneTrainingJob & { readonly step: number },
    request?: PublishCheckpointRequest,
    options?: CallOptions,
  ): Promise<PublishCheckpointResponse> {
    return this.client.call(
      'promoteTrainingCheckpoint',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }

  /** Lists the published models, the checkpoints, and their inputs. */
  artifacts(where: OneTrainingJob, options?: CallOptions): Promise<TrainingArtifactsResponse> {
    return this.client.call('getTrainingArtifacts', { path: where }, options);
  }

  /** Lists rollouts; fine-tuning has none. */
  rollouts(
    where: OneTrainingJob,
    filters?: QueryOf<'listTrainingRollouts'>,
    options?: CallOptions,
  ): Promise<TrainingRolloutsResponse> {
    return this.client.call(
      'listTrainingRollouts',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Follows state changes and every step, from the first event on. */
  events(where: OneTrainingJob, options?: EventOptions): EventStream {
    return this.client.events('streamTrainingEvents', { path: where }, options);
  }

  /** Lists the trainers, and how to start one. */
  backends(where: InWorkspace, options?: CallOptions): Promise<TrainingBackendsResponse> {
    return this.client.call('getTrainingBackends', { path: where }, options);
  }

  /** Lists the trainable models of the organization. */
  catalog(
    where: InWorkspace,
    filters?: QueryOf<'listWorkspaceTrainableModels'>,
    options?: CallOptions,
  ): Promise<TrainingCatalogResponse> {
    return this.client.call(
      'listWorkspaceTrainableModels',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Lists the trainable models of all your organizations. */
  catalogOfAll(
    filters?: QueryOf<'listTrainableModels'>,
    options?: CallOptions,
  ): Promise<TrainingCatalogResponse> {
    return this.client.call('listTrainableModels', filters ? { query: filters } : {}, options);
  }
}
