/**
 * Takes over from another process of this host that ended, or continues where this process could not store a change: makes the database and
 * the actual sandboxes consistent again.
 */
import { sql } from 'kysely';
import { transaction } from '../../../platform/db/transaction.ts';
import type { SandboxProvider, SandboxState } from '../../../platform/sandbox/sandbox-provider.ts';
import { firstUuidAt } from '../../../platform/uuid.ts';
import type { Moment } from '../../accounting/periods.ts';
import type { PauseReason } from '../../schema.ts';
import { type ClaimedSandbox, dropMove, type Status, type Transition } from '../../transitions.ts';
import { forgetStart, recordEnd } from '../ending.ts';
import type { LocalHost } from '../local-host.ts';
import { BY_ITSELF, finishPause, forgetResume } from '../pausing.ts';
import { persist, sinceNow } from '../persistence.ts';

const AT_ONCE = 8;

/** A sandbox that is alive on this host according to the database. */
interface Alive extends ClaimedSandbox {
  readonly state: 'starting' | 'running' | 'paused';
  readonly move: Transition | null;
  /** Reason of the pause in progress, if any. */
  readonly pauseReason: PauseReason;
}

/** How a sandbox is inspected: adopted when a process starts, only observed later. */
type Inspect = (provider: SandboxProvider, id: string) => Promise<SandboxState>;

/**
 * Adopts all sandboxes when a process becomes the host.
 * @param lastSeen end time of sandboxes whose actual end is unknown
 */
export async function adoptAll(host: LocalHost, lastSeen: Moment): Promise<void> {
  const alive = await host.noteAlive(() => listAlive(host));
  await inTurns(alive, (one) => repair(host, one, lastSeen, (provider, id) => provider.adopt(id)));
  await sql`
    UPDATE runtimes AS r /* of every organization */ SET move = NULL
     WHERE r.host_id = ${host.lease.hostId} AND r.move IS NOT NULL AND r.status = 'idle'`.execute(host.db);
  await removeLeftovers(host);
}

/**
 * Repairs sandboxes whose state differs from the stored one though no change is in progress.
 * @returns the number of them
 */
export async function repairForgotten(host: LocalHost): Promise<number> {
  const isForgotten = async (one: Alive) =>
    !host.isChanging(one.runtimeId) && (isUnderWay(one) || (await isGone(host, one)));
  let repaired = 0;
  const alive = await host.noteAlive(() => listAlive(host));
  await inTurns(alive, async (seen) => {
    if (!(await isForgotten(seen)) || host.isChanging(seen.runtimeId)) return;
    await host.change(seen.runtimeId, 'ending', async () => {
      const now = (await listAlive(host)).find((one) => one.sandboxId === seen.sandboxId);
      if (!now) return;
      repaired++;
      // For a sandbox without a claimed transition, the end was missed a moment ago.
      const lastSeen = isUnderWay(now) ? { at: now.at } : { agoMs: 0 };
      await repair(host, now, lastSeen, (provider, id) => provider.inspect(id));
    });
  });
  return repaired;
}

/** A start counts as in progress even if its claim is gone, because its row uses capacity until it is removed. */
const isUnderWay = ({ move, state }: Alive) => move !== null || state === 'starting';

async function isGone(host: LocalHost, { provider, sandboxId }: Alive): Promise<boolean> {
  return (await host.provider(provider).inspect(sandboxId)).state === 'gone';
}

async function listAlive(host: LocalHost): Promise<Alive[]> {
  const { rows } = await sql<Alive>`
    SELECT s.organization_id AS "organizationId", s.runtime_id AS "runtimeId", s.id AS "sandboxId", s.provider,
           s.supports_pause AS "supportsPause", s.state, r.disk_id AS "diskId", r.status, r.move, r.updated_at AS at,
           CASE WHEN s.expires_at > r.updated_at THEN 'user' WHEN s.runtime_limited_by_credits THEN 'insufficient_credits'
                ELSE 'timeout' END AS "pauseReason"
      FROM sandboxes AS s /* of every organization */
      LEFT JOIN runtimes AS r ON r.organization_id = s.organization_id AND r.id = s.runtime_id
     WHERE s.host_id = ${host.lease.hostId} AND s.state <> 'killed'
     ORDER BY s.id`.execute(host.db);
  return rows;
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const takeNext = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
}

async function repair(host: LocalHost, one: Alive, lastSeen: Moment, inspect: Inspect): Promise<void> {
  const provider = host.providers.find(({ name }) => name === one.provider);
  try {
    if (!provider) await finishEnd(host, one, lastSeen, 'Its provider is not known to its host any more.');
    else if (one.state === 'starting') await undoStart(host, one, provider);
    else await reconcile(host, one, provider, await inspect(provider, one.sandboxId), lastSeen);
  } catch (error) {
    // A sandbox that cannot be adopted must not block the others: it is retried, or ends with the lease.
    host.log.error({ err: error, sandboxId: one.sandboxId }, 'a sandbox could not be taken up');
  }
}

async function undoStart(host: LocalHost, one: Alive, provider: SandboxProvider): Promise<void> {
  await provider.kill(one.sandboxId);
  await transaction(host.db, (trx) => forgetStart(trx, one));
}

async function reconcile(
  host: LocalHost,
  one: Alive,
  provider: SandboxProvider,
  inspected: SandboxState,
  lastSeen: Moment,
): Promise<void> {
  const isEnding = one.move === 'ending';
  if (inspected.state === 'gone') {
    const moment = inspected.endedAt
      ? { agoMs: Date.now() - inspected.endedAt.getTime() }
      : isEnding || one.move === 'pausing'
        ? { at: one.at }
        : lastSeen;
    return finishEnd(host, one, moment, isEnding ? 'It was ended.' : BY_ITSELF);
  }
  if (isEnding) {
    await provider.kill(one.sandboxId);
    return finishEnd(host, one, { agoMs: 0 }, 'It was ended.');
  }
  if (one.state === 'running') return settleRunning(host, one, provider, inspected.state);
  // The pause was reported as completed, so the sandbox is paused again.
  if (inspected.state === 'running') await provider.pause(one.sandboxId);
  if (one.move !== null) await transaction(host.db, (trx) => forgetResume(trx, one));
}

async function settleRunning(
  host: LocalHost,
  one: Alive,
  provider: SandboxProvider,
  seen: 'running' | 'paused',
): Promise<void> {
  if (seen === 'paused' && one.move === 'pausing') {
    const target = { ...one, actorId: undefined, requestId: '' };
    const pause = { moment: { at: one.at }, reason: one.pauseReason, target };
    await transaction(host.db, (trx) => finishPause(trx, one, pause));
    return;
  }
  if (seen === 'paused') await provider.resume(one.sandboxId);
  if (one.move !== null) await dropMove(host.db, one);
}

async function finishEnd(host: LocalHost, one: Alive, moment: Moment, reason: string): Promise<void> {
  const since = sinceNow();
  const momentNow = () => ('at' in moment ? moment : { agoMs: moment.agoMs + since() });
  await persist(host, () =>
    transaction(host.db, (trx) => recordEnd(trx, one, { moment: momentNow(), reason })),
  );
}

/**
 * Removes everything on this host that the database does not know: sandboxes that should have ended, disks that no runtime names. Resources
 * are stored in the database before they are created, so a later query includes everything that the listing contains.
 */
export async function removeLeftovers(host: LocalHost): Promise<void> {
  for (const provider of host.providers) {
    const found = await listFound(host, provider);
    if (!found) continue;
    const alive = new Set((await listAlive(host)).map(({ sandboxId }) => sandboxId));
    const strayDisks = await findStrayDisks(host, found.disks);
    const strays = [
      ...found.ids.filter((id) => !alive.has(id)).map((id) => () => provider.kill(id)),
      ...strayDisks.map((id) => () => provider.removeDisk(id)),
    ];
    // A leftover that cannot be removed must not block the host: it is retried.
    const tryRemoving = (remove: () => Promise<void>) =>
      remove().catch((error: unknown) =>
        host.log.warn({ err: error }, 'a leftover could not be removed yet'),
      );
    for (const remove of strays) await tryRemoving(remove);
  }
}

/** @returns undefined for an unavailable provider, such as a stopped engine, which is checked again later */
async function listFound(host: LocalHost, provider: SandboxProvider) {
  try {
    return { ids: await provider.list(), disks: await provider.listDisks() };
  } catch (error) {
    const isKnown = host.reports.some(({ name, available }) => name === provider.name && !available);
    if (!isKnown)
      host.log.warn({ err: error, provider: provider.name }, 'its leftovers cannot be listed now');
    return undefined;
  }
}

/**
 * Finds disks that no runtime names. Disks older than the database's record of this host are kept: they may belong to another database, for
 * example after a start with a wrong one or before a backup was restored.
 */
async function findStrayDisks(host: LocalHost, disks: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ disk_id: string | null; created_at: string }>`
    SELECT r.disk_id, h.created_at FROM sandbox_hosts AS h /* of every organization */
      LEFT JOIN runtimes AS r ON r.host_id = h.id AND r.disk_id IS NOT NULL
     WHERE h.id = ${host.lease.hostId}`.execute(host.db);
  const [row] = rows;
  if (!row) return [];
  const named = new Set(rows.map(({ disk_id }) => disk_id));
  const oldest = firstUuidAt(Date.parse(row.created_at) - CLOCKS_DIFFER_MS);
  return disks.filter((id) => UUID.test(id) && id >= oldest && !named.has(id));
}

const CLOCKS_DIFFER_MS = 60_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface StateCount {
  readonly state: Status;
  readonly count: number;
}

/** Counts the sandboxes of this host by state. */
export async function countByState(host: LocalHost): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    SELECT state, count(*) AS count FROM sandboxes /* of every organization */
     WHERE host_id = ${host.lease.hostId} AND state <> 'killed' GROUP BY state`.execute(host.db);
  return rows;
}
