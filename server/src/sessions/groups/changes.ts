/** State transitions of a session group: it starts, ends once and stays ended. */
import { type RawBuilder, sql } from 'kysely';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import type { SessionGroupOf } from '../schema.ts';
import type { GroupUpdate } from './schema.ts';

type Status = SessionGroupOf['status'];

/** Fields that an update may change. */
type Changeable = Pick<SessionGroupOf, 'status' | (typeof NAMES)[number]>;

type Time = string | null | RawBuilder<string>;

interface Changed extends Partial<Omit<Changeable, 'started_at' | 'completed_at'>> {
  readonly started_at?: Time;
  readonly completed_at?: Time;
}

export const isEnded = (status: Status) => status !== null && status !== 'running';

/** The current time rather than the start of the transaction, which may have waited for the lock. */
const NOW = sql<string>`clock_timestamp()`;

const NAMES = ['title', 'capability', 'capability_version', 'started_at', 'completed_at'] as const;

export function findChanged(before: Changeable, update: GroupUpdate): Changed {
  const status = update.status === undefined ? before.status : update.status;
  requireMove(before.status, status);
  requireEnd(status, update.completed_at);
  const names = NAMES.filter((name) => update[name] !== undefined && update[name] !== before[name]);
  const changed: Changed = Object.fromEntries(names.map((name) => [name, update[name]]));
  if (status === before.status) return changed;
  const begins = before.status === null && before.started_at === null;
  return {
    ...(begins && { started_at: NOW }),
    ...(isEnded(status) && { completed_at: NOW }),
    ...changed,
    status,
  };
}

/** A group that has not started may take any status; a started group may only end, once. */
function requireMove(from: Status, to: Status): void {
  if (from === to || from === null || (from === 'running' && isEnded(to))) return;
  const detail = isEnded(from)
    ? `This group is ${from}; that does not change any more.`
    : 'This group is running; it can only end as completed, failed or cancelled.';
  throw new ApiError('conflict_error', detail);
}

function requireEnd(status: Status, completedAt: string | null | undefined): void {
  if (completedAt === undefined || isEnded(status) === (completedAt !== null)) return;
  const loc = ['body', 'completed_at'];
  throw isEnded(status)
    ? invalidValue(loc, 'must be given, or left out, for a group that has ended')
    : invalidValue(loc, 'must be null or left out for a group that has not ended');
}
