/** Stores an event of the engine: the candidate or proposal that it decides, the progress of the job, and the event for clients. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { appendEvents, type NewEvent } from '../../platform/events/event-log.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type {
  CandidateAccepted,
  CandidateRejected,
  Event,
  ValsetEvaluated,
} from '../../platform/optimizer/ports.ts';
import { toStorable } from '../../platform/storable-text.ts';

export interface EventProgress {
  /** The number of this event, from 1. */
  readonly eventCount: number;
  readonly runningMs: number;
}

/** @param accepted the candidate of a `valset_evaluated` */
export async function saveEvent(
  trx: Trx,
  job: JobRef,
  event: Event,
  accepted: CandidateAccepted | undefined,
  { eventCount, runningMs }: EventProgress,
): Promise<void> {
  const { organizationId, id } = job;
  if (event.type === 'candidate_rejected') await insertProposal(trx, job, event);
  if (event.type === 'candidate_accepted' && event.found_by !== 'seed') await insertProposal(trx, job, event);
  if (event.type === 'valset_evaluated' && accepted) await insertCandidate(trx, job, event, accepted);
  await sql`
    UPDATE optimization_jobs SET event_count = ${eventCount}, running_ms = ${Math.round(runningMs)}${changeOf(event)}
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  await appendEvents(trx, { organizationId, streamId: id }, toEvents(event));
}

/** The columns of the job that an event changes. */
function changeOf(event: Event) {
  if (event.type === 'iteration_start') return sql`, iteration = ${event.iteration}`;
  if (event.type === 'budget_updated') return sql`, metric_calls = ${event.metric_calls}`;
  if (event.type === 'pareto_front_updated') return sql`, frontier = ${[...event.front]}::integer[]`;
  if (event.type === 'valset_evaluated' && event.is_best) return sql`, best_index = ${event.index}`;
  if (event.type === 'optimization_end')
    return sql`, stop_reason = ${event.stop_reason}, metric_calls = ${event.metric_calls}, best_index = ${event.best_index}`;
  return sql``;
}

/** Clients read texts and scores with other operations. The error and the end are appended when the job ends (`optimization-kind.ts`). */
function toEvents(event: Event): NewEvent[] {
  if (event.type === 'optimization_end' || event.type === 'optimization_error') return [];
  if (event.type === 'candidate_accepted' || event.type === 'candidate_rejected') {
    const { type, candidate: _, minibatch: __, parent_scores, child_scores, ...data } = event;
    const sums = { parent_sum: sum(parent_scores), child_sum: sum(child_scores) };
    return [{ type, data: { ...toStorable(data), ...sums } }];
  }
  if (event.type === 'valset_evaluated') {
    const { type, scores: _, objectives: __, ...data } = event;
    return [{ type, data }];
  }
  const { type, ...data } = event;
  return [{ type, data }];
}

const sum = (scores: readonly number[] | undefined) =>
  scores?.reduce((total, score) => total + score, 0) ?? null;

async function insertProposal(
  trx: Trx,
  { organizationId, id }: JobRef,
  event: CandidateAccepted | CandidateRejected,
): Promise<void> {
  const { iteration, proposal, parents, candidate, components = [], minibatch } = event;
  const isAccepted = event.type === 'candidate_accepted';
  const texts = candidate && Object.fromEntries(components.map((name) => [name, candidate[name] ?? '']));
  const isMerge = isAccepted ? event.found_by === 'merge' : parents.length > 1;
  await trx
    .insertInto('optimization_proposals')
    .values({
      organization_id: organizationId,
      job_id: id,
      iteration,
      proposal,
      status: isAccepted ? 'accepted' : 'rejected',
      reason: isAccepted ? null : event.reason,
      found_by: isMerge ? 'merge' : 'reflection',
      parents: parents.flatMap((parent) => parent ?? []),
      candidate_index: isAccepted ? event.index : null,
      components: [...components],
      texts: texts ? JSON.stringify(toStorable(texts)) : null,
      minibatch: [...minibatch],
      parent_scores: event.parent_scores ? [...event.parent_scores] : null,
      child_scores: event.child_scores ? [...event.child_scores] : null,
      error: isAccepted ? null : (event.error ?? null),
    })
    .execute();
}

async function insertCandidate(
  trx: Trx,
  { organizationId, id }: JobRef,
  { index, scores, mean, objectives, is_best }: ValsetEvaluated,
  accepted: CandidateAccepted,
): Promise<void> {
  await trx
    .insertInto('optimization_candidates')
    .values({
      organization_id: organizationId,
      job_id: id,
      index,
      iteration: accepted.iteration,
      proposal: accepted.proposal,
      found_by: accepted.found_by,
      parents: accepted.parents.flatMap((parent) => parent ?? []),
      texts: JSON.stringify(toStorable(accepted.candidate)),
      scores: [...scores],
      mean_score: mean,
      objectives: JSON.stringify(objectives),
      is_best,
      metric_calls: accepted.metric_calls_at_discovery,
    })
    .execute();
}
