/** Evaluations: a model, with an agent, over tasks or the rows of a dataset. */
import type { EventOptions, EventStream } from '../event-stream.ts';
import type {
  EvaluationAnalyticsResponse,
  EvaluationCreateRequest,
  EvaluationEstimateResponse,
  EvaluationFacetsResponse,
  EvaluationListResponse,
  EvaluationResponse,
  EvaluationRetryRequest,
  EvaluationUpdateRequest,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneEvaluation, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const task = { org: 'main', name: 'fix-sum', version: '1.0.0' };
 * await drydock.tasks.createUpload(task, {
 *   manifest: {
 *     name: 'fix-sum',
 *     version: '1.0.0',
 *     instruction: 'What is 17 + 25? You may compute it:\n\n```sh\necho $((17 + 25))\n```',
 *     verification: { method: 'exact', expected: '42' },
 *   },
 *   files: [],
 * });
 * await drydock.tasks.completeUpload(task);
 *
 * const { id } = await drydock.evaluations.create(where, {
 *   name: 'first evaluation',
 *   model: 'sim/tool-user',
 *   task_names: ['fix-sum'],
 *   repetitions: 2,
 * });
 * const mine = { ...where, evaluation_id: id };
 *
 * let evaluation = await drydock.evaluations.get(mine);
 * while (evaluation.status === 'queued' || evaluation.status === 'running') {
 *   await new Promise((resolve) => setTimeout(resolve, 200));
 *   evaluation = await drydock.evaluations.get(mine);
 * }
 * console.log(evaluation.status, evaluation.passed_count); // → completed 2
 *
 * const { items } = await drydock.evaluationItems.list(mine, { passed: true });
 * console.log(items.length, items[0]?.task_name, items[0]?.answer); // → 2 fix-sum 42
 * ```
 */
export class Evaluations extends Resource {
  /** Validates everything, pins versions, and starts. */
  create(
    where: InWorkspace,
    request: EvaluationCreateRequest,
    options?: CallOptions,
  ): Promise<EvaluationResponse> {
    return this.client.call('createEvaluation', { path: where, body: request }, options);
  }

  /** Estimates the samples, sandboxes and cost of an evaluation without creating it. */
  estimate(
    where: InWorkspace,
    request: EvaluationCreateRequest,
    options?: CallOptions,
  ): Promise<EvaluationEstimateResponse> {
    return this.client.call('estimateEvaluation', { path: where, body: request }, options);
  }

  /** Lists evaluations, newest first, unless sorted otherwise. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listEvaluations'>,
    options?: CallOptions,
  ): List<EvaluationListResponse> {
    return this.client.list('listEvaluations', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Counts evaluations by status and by model. */
  facets(
    where: InWorkspace,
    filters?: QueryOf<'getEvaluationFacets'>,
    options?: CallOptions,
  ): Promise<EvaluationFacetsResponse> {
    return this.client.call(
      'getEvaluationFacets',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  get(where: OneEvaluation, options?: CallOptions): Promise<EvaluationResponse> {
    return this.client.call('getEvaluation', { path: where }, options);
  }

  /** Changes name, tags, concurrency or budget; pauses and resumes. */
  update(
    where: OneEvaluation,
    request: EvaluationUpdateRequest,
    options?: CallOptions,
  ): Promise<EvaluationResponse> {
    return this.client.call('updateEvaluation', { path: where, body: request }, options);
  }

  /** Deletes an ended evaluation. Its sessions stay. */
  delete(where: OneEvaluation, options?: CallOptions): Promise<void> {
    return this.client.call('deleteEvaluation', { path: where }, options);
  }

  cancel(where: OneEvaluation, options?: CallOptions): Promise<EvaluationResponse> {
    return this.client.call('cancelEvaluation', { path: where }, options);
  }

  /** Runs samples again that failed, timed out or could not run, including those of an ended evaluation. */
  retry(
    where: OneEvaluation,
    request: EvaluationRetryRequest,
    options?: CallOptions,
  ): Promise<EvaluationResponse> {
    return this.client.call('retryEvaluation', { path: where, body: request }, options);
  }

  /** Returns the pass rate with its interval, pass@k, results by task, tag and difficulty, cost and durations. */
  analytics(where: OneEvaluation, options?: CallOptions): Promise<EvaluationAnalyticsResponse> {
    return this.client.call('getEvaluationAnalytics', { path: where }, options);
  }

  /** Follows the states of samples, their counts and the state of the evaluation. */
  events(where: OneEvaluation, options?: EventOptions): EventStream {
    return this.client.events('streamEvaluationEvents', { path: where }, options);
  }
}
