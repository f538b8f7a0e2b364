/** The kind of an evaluation's job, which routes need to enqueue it, and the JSON columns that its steps read. */

import type { Trx } from '../platform/db/transaction.ts';
import type { JobKind, JobRef } from '../platform/jobs/job-kind.ts';
import type { RuntimeConfigOf } from '../runtimes/service.ts';
import { closeOpenItems } from './close-items.ts';
import type { EvaluationRequest, NamedScorer } from './creation/schema.ts';
import { saveSnapshot } from './reading/analytics.ts';

export const EVALUATION: JobKind = {
  kind: 'evaluations.run',
  table: 'evaluations',
  ended: async (trx: Trx, { organizationId, id }: JobRef, status) => {
    await closeOpenItems(trx, { organizationId, evaluationId: id }, status);
    await saveSnapshot(trx, { organizationId, id });
  },
};

/** `evaluations.request`: the request with defaults, and with versions resolved. */
export interface StoredRequest {
  readonly task_names: readonly string[] | null;
  readonly task_set: string | null;
  readonly dataset: NonNullable<EvaluationRequest['dataset']> | null;
  readonly scorers: readonly NamedScorer[];
  readonly agent: string | null;
  readonly capability: { readonly name: string; readonly version: string } | null;
  readonly repetitions: number;
  readonly limits: NonNullable<EvaluationRequest['limits']>;
  readonly max_retries: number;
  readonly runtime_id: string | null;
  readonly secret_ids: readonly string[];
  readonly seed: number | null;
}

/** `evaluations.execution`: what samples run with, as it was when the evaluation was created. */
export interface StoredExecution {
  /** null: each row is a single model call. */
  readonly agent: { readonly name: string; readonly systemPrompt: string } | null;
  readonly template: RuntimeConfigOf | null;
}
