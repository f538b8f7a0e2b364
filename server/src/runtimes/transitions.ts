/** Claims state transitions, one at a time per runtime, and explains why a claim was refused. */
import { type RawBuilder, sql } from 'kysely';
import { NEXT_CHANGE } from '../platform/db/change-time.ts';
import type { Db } from '../platform/db/connect.ts';
import type { Trx } from '../platform/db/transaction.ts';
import { ApiError, notFound } from '../platform/errors.ts';
import type { LeaseKey } from './lifecycle/host-lease.ts';

export type Status = 'idle' | 'running' | 'paused';
export type Transition = 'starting' | 'pausing' | 'resuming' | 'ending';
export type Verb =
  | 'start'
  | 'pause'
  | 'resume'
  | 'reset'
  | 'end'
  | 'delete'
  | 'keepalive'
  | 'exec'
  | 'connect';

export interface RuntimeKey {
  readonly organizationId: string;
  readonly runtimeId: string;
}

export interface ClaimedSandbox {
  readonly organizationId: string;
  readonly runtimeId: string;
  readonly sandboxId: string;
  readonly provider: string;
  readonly supportsPause: boolean;
  readonly diskId: string | null;
  readonly status: Status;
  /** Time of the claim, by the clock of the database. */
  readonly at: string;
}

interface Claim {
  readonly from: readonly Status[];
  readonly move: Transition;
  readonly verb: Verb;
}

/** Claims the sandbox of a runtime for a state transition, which only the claiming host may end. */
export async function claimSandbox(
  trx: Trx,
  lease: LeaseKey,
  key: RuntimeKey,
  { from, move, verb }: Claim,
): Promise<ClaimedSandbox> {
  const claimed = await trx
    .updateTable('runtimes as r')
    .from('sandboxes as s')
    .set({ move, updated_at: sql`greatest(clock_timestamp(), r.updated_at + interval '1 millisecond')` })
    .where('r.organization_id', '=', key.organizationId)
    .where('r.id', '=', key.runtimeId)
    .where('s.organization_id', '=', key.organizationId)
    .whereRef('s.id', '=', 'r.sandbox_id')
    .where('r.status', 'in', [...from])
    .where('r.move', 'is', null)
    .where(isHeld(lease))
    .where('s.host_id', '=', lease.hostId)
    .returning(['s.id as sandboxId', 's.provider', 's.supports_pause as supportsPause'])
    .returning(['r.disk_id as diskId', 'r.status', 'r.updated_at as at'])
    .executeTakeFirst();
  if (!claimed) throw await explainRefusal(trx, key, verb);
  return { ...key, ...claimed, status: claimed.status };
}

/** Checks whether a state was stored: when a connection breaks during the commit, the client does not know the outcome. */
export async function isInState(
  db: Db,
  { organizationId, sandboxId }: { readonly organizationId: string; readonly sandboxId: string },
  state: 'running' | 'paused',
): Promise<boolean> {
  const row = await db
    .selectFrom('sandboxes')
    .select('state')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .executeTakeFirst();
  return row?.state === state;
}

/** Gives up a claim without a change. */
export async function dropMove(
  db: Db,
  { organizationId, runtimeId }: RuntimeKey,
  at?: string,
): Promise<void> {
  let query = db
    .updateTable('runtimes')
    .set({ move: null, updated_at: NEXT_CHANGE })
    .where('organization_id', '=', organizationId)
    .where('id', '=', runtimeId)
    .where('move', 'is not', null);
  if (at !== undefined) query = query.where('updated_at', '=', at);
  await query.execute();
}

/** A host that has lost its lease changes nothing. */
export const isHeld = ({ hostId, holderId }: LeaseKey): RawBuilder<boolean> => sql<boolean>`
  EXISTS (SELECT FROM sandbox_hosts AS h
           WHERE h.id = ${hostId} AND h.holder_id = ${holderId} AND h.lease_expires_at > clock_timestamp())`;

/** Explains why a runtime could not be claimed. Its state may have changed since. */
export async function explainRefusal(db: Db, key: RuntimeKey, verb: Verb): Promise<ApiError> {
  const row = await db
    .selectFrom('runtimes as r')
    .leftJoin('sandbox_hosts as h', 'h.id', 'r.host_id')
    .select(['r.status', 'r.move'])
    .select(sql<boolean>`coalesce(h.lease_expires_at > clock_timestamp(), true)`.as('is_live'))
    .where('r.organization_id', '=', key.organizationId)
    .where('r.id', '=', key.runtimeId)
    .executeTakeFirst();
  if (!row) return notFound('Runtime');
  if (row.move !== null) return busy(row.move);
  const detail = REFUSALS[verb]?.[row.status];
  if (detail) return new ApiError('conflict_error', detail);
  return row.is_live
    ? new ApiError('conflict_error', 'The runtime has just changed its state; try again.')
    : hostAway();
}

export const busy = (move: Transition) =>
  new ApiError('conflict_error', `The runtime is ${BEING[move]} at this moment; try again in a second.`);

const BEING = {
  starting: 'being started',
  pausing: 'being paused',
  resuming: 'being resumed',
  ending: 'being ended',
};

export const hostAway = (cause?: unknown) =>
  new ApiError(
    'sandbox_provider_error',
    'The host of this runtime is not ready; try again in a few seconds.',
    {
      cause,
    },
  );

const NOT_STARTED = 'The runtime does not run; start it first.';
const PAUSED = 'The runtime is paused; resume it first.';

const REFUSALS: Partial<Record<Verb, Partial<Record<Status, string>>>> = {
  start: {
    running: 'The runtime runs already.',
    paused: 'The runtime is paused: resume it, or reset it to begin anew.',
  },
  pause: { idle: NOT_STARTED, paused: 'The runtime is paused already.' },
  resume: { idle: NOT_STARTED, running: 'The runtime runs already.' },
  reset: { idle: 'The runtime is idle: it has no sandbox to reset.' },
  keepalive: { idle: NOT_STARTED, paused: PAUSED },
  exec: { idle: NOT_STARTED, paused: PAUSED },
  connect: { idle: NOT_STARTED, paused: PAUSED },
};
