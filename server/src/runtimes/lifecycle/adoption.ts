/**
 * Going on where another process of this host ended, or where this one could not write down what it did: what the database
 * says and what is there are made one again.
 */
import { sql } from 'kysely';
import { transaction } from '../../platform/db/transaction.ts';
import type { SandboxProvider, Sight } from '../../platform/sandbox/sandbox-provider.ts';
import { firstUuidAt } from '../../platform/uuid.ts';
import type { Moment } from '../accounting/periods.ts';
import type { PauseReason } from '../schema.ts';
import { forgetStart, recordEnd } from './ending.ts';
import type { LocalHost } from './local-host.ts';
import { type ClaimedSandbox, dropMove, type Move, type Status } from './moves.ts';
import { BY_ITSELF, finishPause, forgetResume } from './pausing.ts';
import { persist, sinceNow } from './persistence.ts';

const AT_ONCE = 8;

/** One that the database holds to be alive on this host. */
interface Alive extends ClaimedSandbox {
  readonly state: 'starting' | 'running' | 'paused';
  readonly move: Move | null;
  /** Why it is being paused, if it is. */
  readonly pauseReason: PauseReason;
}

/** How a sandbox is looked at: taken up, when a process begins; just seen, later. */
type Look = (provider: SandboxProvider, id: string) => Promise<Sight>;

/**
 * All of them, when a process becomes the host.
 *
 * @param lastSeen where nobody knows when one has ended, it was then
 */
export async function adoptAll(host: LocalHost, lastSeen: Moment): Promise<void> {
  const alive = await listAlive(host);
  await inTurns(alive, (one) => repair(host, one, lastSeen, (provider, id) => provider.adopt(id)));
  await sql`
    UPDATE runtimes AS r /* of every organization */ SET move = NULL
     WHERE r.host_id = ${host.lease.hostId} AND r.move IS NOT NULL AND r.status = 'idle'`.execute(host.db);
  await removeLeftovers(host);
}

/** Those that are not what they should be though nobody is changing them. @returns how many there were */
export async function repairForgotten(host: LocalHost): Promise<number> {
  const isForgotten = async (one: Alive) =>
    !host.isChanging(one.runtimeId) && (isUnderWay(one) || (await isGone(host, one)));
  let repaired = 0;
  await inTurns(await listAlive(host), async (seen) => {
    if (!(await isForgotten(seen)) || host.isChanging(seen.runtimeId)) return;
    await host.change(seen.runtimeId, 'ending', async () => {
      const now = (await listAlive(host)).find((one) => one.sandboxId === seen.sandboxId);
      if (!now) return;
      repaired++;
      // Of one that was to be left as it is, nobody noted the end: it was not long ago.
      const lastSeen = isUnderWay(now) ? { at: now.at } : { agoMs: 0 };
      await repair(host, now, lastSeen, (provider, id) => provider.look(id));
    });
  });
  return repaired;
}

/** A start is under way also where its claim is gone: its row counts until it is forgotten. */
const isUnderWay = ({ move, state }: Alive) => move !== null || state === 'starting';

async function isGone(host: LocalHost, { provider, sandboxId }: Alive): Promise<boolean> {
  return (await host.provider(provider).look(sandboxId)).state === 'gone';
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

async function repair(host: LocalHost, one: Alive, lastSeen: Moment, look: Look): Promise<void> {
  const provider = host.providers.find(({ name }) => name === one.provider);
  try {
    if (!provider) await finishEnd(host, one, lastSeen, 'Its provider is not known to its host any more.');
    else if (one.state === 'starting') await undoStart(host, one, provider);
    else await reconcile(host, one, provider, await look(provider, one.sandboxId), lastSeen);
  } catch (error) {
    // One that cannot be taken up must not keep the others from it: it is tried again, or ends with the lease.
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
  sight: Sight,
  lastSeen: Moment,
): Promise<void> {
  const isEnding = one.move === 'ending';
  if (sight.state === 'gone') {
    const moment = sight.endedAt
      ? { agoMs: Date.now() - sight.endedAt.getTime() }
      : isEnding || one.move === 'pausing'
        ? { at: one.at }
        : lastSeen;
    return finishEnd(host, one, moment, isEnding ? 'It was ended.' : BY_ITSELF);
  }
  if (isEnding) {
    await provider.kill(one.sandboxId);
    return finishEnd(host, one, { agoMs: 0 }, 'It was ended.');
  }
  if (one.state === 'running') return settleRunning(host, one, provider, sight.state);
  // Paused as far as anybody was told: it stays that.
  if (sight.state === 'running') await provider.pause(one.sandboxId);
  if (one.move !== null) await transaction(host.db, (trx) => forgetResume(trx, one));
}

async function settleRunning(
  host: LocalHost,
  one: Alive,
  provider: SandboxProvider,
  seen: 'running' | 'paused',
): Promise<void> {
  if (seen === 'paused' && one.move === 'pausing') {
    const asked = { ...one, actorId: undefined, requestId: '' };
    const pause = { moment: { at: one.at }, reason: one.pauseReason, asked };
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
 * Whatever is on this host and unknown to the database: sandboxes that should have ended, disks that no runtime names. What
 * is listed was written to the database before it was made, so that what is asked for afterwards is no older than it.
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
    // One that cannot be removed must not keep the host from its work: it is tried again.
    const tryRemoving = (remove: () => Promise<void>) =>
      remove().catch((error: unknown) =>
        host.log.warn({ err: error }, 'a leftover could not be removed yet'),
      );
    for (const remove of strays) await tryRemoving(remove);
  }
}

/** @returns undefined of a provider that is not available, such as an engine that is away: it is asked again */
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
 * Of the disks that are there, those that nobody names any more. What is older than this database's knowledge of the host is
 * not for it to judge: it may be another's, as where a server was started with the wrong one, or before a backup was restored.
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

/** Of the sandboxes of this host. */
export async function countByState(host: LocalHost): Promise<StateCount[]> {
  const { rows } = await sql<StateCount>`
    SELECT state, count(*) AS count FROM sandboxes /* of every organization */
     WHERE host_id = ${host.lease.hostId} AND state <> 'killed' GROUP BY state`.execute(host.db);
  return rows;
}
