/** The lease of a host: its holder operates the host's sandboxes. A row of the database, by the clock of the database. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { ProviderReport } from '../../platform/sandbox/sandbox-provider.ts';
import { toSandboxProvider } from '../sandboxes/providers.ts';

export const LEASE_SECONDS = 15;

export const LEASE = sql`make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

export interface LeaseKey {
  readonly hostId: string;
  readonly holderId: string;
}

export interface LeaseRequest extends LeaseKey {
  readonly url: string;
  readonly providers: readonly ProviderReport[];
  /** Id of a holder known to be dead, whose lease can be taken at once. Otherwise only an expired lease can be taken. */
  readonly deadHolderId: string | undefined;
}

export interface TakenLease {
  /** Last renewal by the previous holder; undefined for a new host. */
  readonly lastRenewedAt: string | undefined;
}

/** @returns undefined while another process holds it */
export async function takeLease(db: Db, request: LeaseRequest): Promise<TakenLease | undefined> {
  const { hostId, holderId, url, deadHolderId } = request;
  const values = {
    url,
    holder_id: holderId,
    providers: toColumn(request.providers),
    lease_expires_at: sql<string>`clock_timestamp() + ${LEASE}`,
  };
  return transaction(db, async (trx) => {
    const inserted = await trx
      .insertInto('sandbox_hosts')
      .values({ id: hostId, ...values })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted) return { lastRenewedAt: undefined };
    const before = await trx
      .selectFrom('sandbox_hosts')
      .select(['holder_id', sql<string>`lease_expires_at - ${LEASE}`.as('last_renewed_at')])
      .select(sql<boolean>`lease_expires_at < clock_timestamp()`.as('has_ended'))
      .where('id', '=', hostId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    // Its own lease: it took it before but failed to record that in its folder.
    const isFree = before.has_ended || before.holder_id === deadHolderId || before.holder_id === holderId;
    if (!isFree) return undefined;
    await trx.updateTable('sandbox_hosts').set(values).where('id', '=', hostId).execute();
    return { lastRenewedAt: before.last_renewed_at };
  });
}

/** @returns false when the lease has ended or belongs to another process: an ended lease is never renewed */
export async function renewLease(db: Db, { hostId, holderId }: LeaseKey): Promise<boolean> {
  const renewed = await db
    .updateTable('sandbox_hosts')
    .set({ lease_expires_at: sql`clock_timestamp() + ${LEASE}` })
    .where('id', '=', hostId)
    .where('holder_id', '=', holderId)
    .where('lease_expires_at', '>', sql<string>`clock_timestamp()`)
    .returning('id')
    .executeTakeFirst();
  return renewed !== undefined;
}

/** Publishes the address and the providers of the holder. */
export async function announce(
  db: Db,
  { hostId, holderId }: LeaseKey,
  news: Partial<Pick<LeaseRequest, 'url' | 'providers'>>,
): Promise<void> {
  const { url, providers } = news;
  await db
    .updateTable('sandbox_hosts')
    .set({ ...(url !== undefined && { url }), ...(providers && { providers: toColumn(providers) }) })
    .where('id', '=', hostId)
    .where('holder_id', '=', holderId)
    .execute();
}

const toColumn = (providers: readonly ProviderReport[]) =>
  sql<string>`${JSON.stringify(providers.map(toSandboxProvider))}::jsonb`;
