/** Transitions between running and paused: the sandbox is kept and its time stands still. */
import { sql } from 'kysely';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { release } from '../../platform/metering/credits.ts';
import { grantPeriod, readLimits, toLimitColumns } from '../accounting/grants.ts';
import { beginPeriod, endPeriod, type Moment, referenceOf } from '../accounting/periods.ts';
import { auditMove, type TransitionTarget } from '../audited.ts';
import type { Emit, Target } from '../operator.ts';
import type { PauseReason } from '../schema.ts';
import { type ClaimedSandbox, claimSandbox, dropMove, isInState } from '../transitions.ts';
import { recordEnd } from './ending.ts';
import type { LocalHost } from './local-host.ts';
import { persist, sinceNow } from './persistence.ts';
import { writeLog } from './sandbox-log.ts';
import { showCapabilities } from './show-capabilities.ts';

export async function pauseSandbox(
  host: LocalHost,
  target: TransitionTarget,
  reason: PauseReason,
  emit: Emit,
  require: (trx: Trx, sandbox: ClaimedSandbox) => Promise<void> = async () => undefined,
): Promise<void> {
  const sandbox = await host.step(async (trx) => {
    const claimed = await claimSandbox(trx, host.lease, target, {
      from: ['running'],
      move: 'pausing',
      verb: 'pause',
    });
    if (!claimed.supportsPause) throw cannotPause(claimed.provider);
    await require(trx, claimed);
    return claimed;
  });
  emit({ step: 'pause', message: 'Stopping its processes where they are.' });
  await orFindGone(host, sandbox, () => host.provider(sandbox.provider).pause(sandbox.sandboxId));
  const agoMs = sinceNow();
  const isPaused = await persist(host, () =>
    transactionFor(host.db, target, (trx) =>
      finishPause(trx, sandbox, { moment: { agoMs: agoMs() }, reason, target }),
    ),
  );
  if (!isPaused) throw endedMeanwhile();
  emit({ step: 'ready', message: 'It is paused.' });
}

/** Runs under the lock of the row, which keepalive takes as well. */
export async function requireExpired(trx: Trx, { organizationId, sandboxId }: ClaimedSandbox): Promise<void> {
  const row = await trx
    .selectFrom('sandboxes')
    .select(sql<boolean>`expires_at <= clock_timestamp()`.as('is_expired'))
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .forUpdate()
    .executeTakeFirst();
  if (!row?.is_expired) throw new ApiError('conflict_error', 'The runtime was given more time.');
}

const cannotPause = (provider: string) =>
  new ApiError(
    'conflict_error',
    `The provider "${provider}" cannot suspend a sandbox. End it instead; what is on its disk is kept.`,
  );

const endedMeanwhile = () =>
  new ApiError('conflict_error', 'The sandbox has ended; start the runtime again.');

interface FinishedPause {
  readonly moment: Moment;
  readonly reason: PauseReason;
  readonly target: TransitionTarget;
}

/** @returns false when the sandbox has ended in the meantime */
export async function finishPause(
  trx: Trx,
  sandbox: ClaimedSandbox,
  { moment, reason, target }: FinishedPause,
): Promise<boolean> {
  if (!(await changeStatus(trx, sandbox, 'pausing', 'paused'))) return isInState(trx, sandbox, 'paused');
  await endPeriod(trx, sandbox, { moment, to: { state: 'paused', reason } });
  await writeLog(trx, sandbox, [{ kind: 'lifecycle', message: 'paused', details: { reason } }]);
  await auditMove(trx, target, 'runtime.paused', { sandbox_id: sandbox.sandboxId, reason });
  return true;
}

export async function resumeSandbox(host: LocalHost, target: Target, emit: Emit): Promise<void> {
  const { sandbox, period, seconds } = await host.step((trx) => claimResume(trx, host, target));
  const giveBack = (trx: Trx) => release(trx, sandbox.organizationId, referenceOf(sandbox.sandboxId, period));
  emit({ step: 'resume', message: 'Letting its processes go on.' });
  await orFindGone(host, sandbox, () => resumeShowing(host, sandbox), giveBack);
  const isRunning = await persist(host, () =>
    transactionFor(host.db, target, async (trx) => {
      if (!(await changeStatus(trx, sandbox, 'resuming', 'running')))
        return isInState(trx, sandbox, 'running');
      await beginPeriod(trx, sandbox, { from: 'paused', seconds }).execute();
      await writeLog(trx, sandbox, [{ kind: 'lifecycle', message: 'resumed' }]);
      await auditMove(trx, target, 'runtime.resumed', { sandbox_id: sandbox.sandboxId });
      return true;
    }),
  );
  if (!isRunning) throw endedMeanwhile();
  emit({ step: 'ready', message: 'It runs again.' });
}

/** Changes of capabilities during the pause are applied before the sandbox is reported as running. */
async function resumeShowing(host: LocalHost, sandbox: ClaimedSandbox): Promise<void> {
  const provider = host.provider(sandbox.provider);
  await provider.resume(sandbox.sandboxId);
  try {
    await showCapabilities(host, sandbox);
  } catch (error) {
    await provider.pause(sandbox.sandboxId);
    throw error;
  }
}

/** Grants the seconds of a new period, by the current limits. */
async function claimResume(trx: Trx, host: LocalHost, target: Target) {
  const sandbox = await claimSandbox(trx, host.lease, target, {
    from: ['paused'],
    move: 'resuming',
    verb: 'resume',
  });
  const { organizationId, sandboxId } = sandbox;
  const row = await trx
    .selectFrom('sandboxes')
    .select(['period', 'requested_runtime_limit_seconds'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .executeTakeFirstOrThrow();
  const period = row.period + 1;
  const requested = [row.requested_runtime_limit_seconds];
  const grant = await grantPeriod(trx, host.rules, {
    organizationId,
    sandboxId,
    period,
    requested,
    organization: await readLimits(trx, organizationId),
    now: sandbox.at,
  });
  await trx
    .updateTable('sandboxes')
    .set(toLimitColumns(grant))
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .execute();
  return { sandbox, period, seconds: grant.seconds };
}

/** Undoes a resume that was not reported: the sandbox stays paused, and reserved credits are released. */
export async function forgetResume(trx: Trx, sandbox: ClaimedSandbox): Promise<void> {
  const { organizationId, sandboxId } = sandbox;
  await dropMove(trx, sandbox);
  const row = await trx
    .selectFrom('sandboxes')
    .select('period')
    .where('organization_id', '=', organizationId)
    .where('id', '=', sandboxId)
    .executeTakeFirst();
  if (row) await release(trx, organizationId, referenceOf(sandboxId, row.period + 1));
}

async function changeStatus(
  trx: Trx,
  { organizationId, runtimeId, sandboxId }: ClaimedSandbox,
  move: 'pausing' | 'resuming',
  status: 'paused' | 'running',
): Promise<boolean> {
  const changed = await trx
    .updateTable('runtimes')
    .set({ status, move: null, updated_at: NEXT_CHANGE })
    .where('organization_id', '=', organizationId)
    .where('id', '=', runtimeId)
    .where('sandbox_id', '=', sandboxId)
    .where('move', '=', move)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** A failure leaves the sandbox unchanged, unless the sandbox is gone. */
async function orFindGone(
  host: LocalHost,
  sandbox: ClaimedSandbox,
  work: () => Promise<void>,
  giveBack?: (trx: Trx) => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const inspected = await host.provider(sandbox.provider).inspect(sandbox.sandboxId);
    await persist(host, () =>
      host.step(async (trx) => {
        await giveBack?.(trx);
        if (inspected.state !== 'gone') await dropMove(trx, sandbox);
        else
          await recordEnd(trx, sandbox, { moment: momentOf(inspected.endedAt, sandbox), reason: BY_ITSELF });
      }),
    );
    throw inspected.state === 'gone' ? endedMeanwhile() : error;
  }
}

export const BY_ITSELF = 'It has ended by itself.';

/** If the actual end is unknown, uses the time when the sandbox was last seen. */
export function momentOf(endedAt: Date | undefined, { at }: Pick<ClaimedSandbox, 'at'>): Moment {
  return endedAt ? { agoMs: Date.now() - endedAt.getTime() } : { at };
}
