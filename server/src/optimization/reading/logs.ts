/** The log of a job: a line for each event that a person would want to read. */
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { listEvents } from '../../platform/events/event-log.ts';
import type { OPTIMIZATION_EVENTS } from './events.ts';
import type { LogQuery } from './schema.ts';
import { type Place, requireJob } from './store.ts';

type Events = typeof OPTIMIZATION_EVENTS;
type Lines = { readonly [Type in keyof Events]?: (data: z.output<Events[Type]>) => string };

const LINES: Lines = {
  optimization_start: () => 'The job has started; the capability as it is will be scored.',
  iteration_start: ({ iteration }) => `Iteration ${iteration} began.`,
  candidate_accepted: ({ iteration, index, found_by, parent_sum, child_sum }) =>
    found_by === 'seed'
      ? 'The capability as it is was scored.'
      : `Iteration ${iteration}: candidate ${index} was accepted (${found_by}); its minibatch sums to ${child_sum}, the parent's to ${parent_sum}.`,
  candidate_rejected: ({ iteration, reason, error }) =>
    `Iteration ${iteration}: the proposal was rejected (${reason})${error === undefined ? '.' : `: ${error}`}`,
  valset_evaluated: ({ index, mean, is_best }) =>
    `Candidate ${index} scores ${mean} on the validation set${is_best ? ', the best so far' : ''}.`,
  optimization_error: ({ message }) => message,
  optimization_end: ({ status, stop_reason }) =>
    `The job is ${status}${stop_reason === null ? '' : ` (${stop_reason})`}.`,
};

export async function listLogs(
  db: Db,
  scope: Place,
  given: string,
  { after, limit }: z.output<typeof LogQuery>,
) {
  const id = await requireJob(db, scope, given);
  const stream = { organizationId: scope.organizationId, streamId: id };
  const { events } = await listEvents(db, stream, after, limit);
  const items = events.flatMap(({ seq, type, data, created_at }) => {
    const line = LINES[type as keyof Lines] as ((given: typeof data) => string) | undefined;
    return line ? [{ seq, timestamp: created_at, message: line(data) }] : [];
  });
  return { items };
}
