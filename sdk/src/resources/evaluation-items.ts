/** Samples of an evaluation: results, attempts, and all messages. */
import type {
  EvaluationItem,
  EvaluationItemAttempt,
  EvaluationItemListResponse,
  EvaluationItemSearchResponse,
  SessionTrajectory,
  TranscriptResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type OneEvaluation, type OneItem, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

export class EvaluationItems extends Resource {
  /** Lists samples in their order, unless sorted otherwise. */
  list(
    where: OneEvaluation,
    filters?: QueryOf<'listEvaluationItems'>,
    options?: CallOptions,
  ): List<EvaluationItemListResponse> {
    return this.client.list(
      'listEvaluationItems',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Finds samples whose messages, error or task name contain a text, case-insensitive. */
  search(
    where: OneEvaluation,
    query: QueryOf<'searchEvaluationItems'>,
    options?: CallOptions,
  ): Promise<EvaluationItemSearchResponse> {
    return this.client.call('searchEvaluationItems', { path: where, query }, options);
  }

  get(where: OneItem, options?: CallOptions): Promise<EvaluationItem> {
    return this.client.call('getEvaluationItem', { path: where }, options);
  }

  /** Lists all attempts; only the last one counts. */
  attempts(where: OneItem, options?: CallOptions): List<EvaluationItemAttempt[]> {
    return this.client.list('listEvaluationItemAttempts', { path: where }, options);
  }

  transcript(
    where: OneItem,
    query?: QueryOf<'getEvaluationItemTranscript'>,
    options?: CallOptions,
  ): Promise<TranscriptResponse> {
    return this.client.call('getEvaluationItemTranscript', { path: where, ...(query && { query }) }, options);
  }

  /** Returns the whole sample as one document, by default in `atif`. */
  trajectory(
    where: OneItem,
    query?: QueryOf<'getEvaluationItemTrajectory'>,
    options?: CallOptions,
  ): Promise<SessionTrajectory> {
    return this.client.call('getEvaluationItemTrajectory', { path: where, ...(query && { query }) }, options);
  }

  /** Runs an ended sample again. */
  retry(where: OneItem, options?: CallOptions): Promise<EvaluationItem> {
    return this.client.call('retryEvaluationItem', { path: where }, options);
  }

  cancel(where: OneItem, options?: CallOptions): Promise<EvaluationItem> {
    return this.client.call('cancelEvaluationItem', { path: where }, options);
  }
}
