/** The lease of a host: who holds it operates the host's sandboxes. A row of the database, by the database's clock. */
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
  /** A holder that is known to be dead: what it holds can be taken at once. Else only what has run out. */
  readonly deadHolderId: string | undefined;
}

export interface TakenLease {
  /** When whoever held it before last said that it was there; undefined for a new host. */
  readonly lastRenewedAt: string | undefined;
}

/** @returns undefined while somebody else holds it */
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
    // Its own: it took it, and could not say so in its folder.
    const isFree = before.has_ended || before.holder_id === deadHolderId || before.holder_id === holderId;
    if (!isFree) return undefined;
    await trx.updateTable('sandbox_hosts').set(values).where('id', '=', hostId).execute();
    return { lastRenewedAt: before.last_renewed_at };
  });
}

/** @returns false when it has ended or is somebody else's: it does not come back to life */
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

/** Where the holder is reached, and what it can do. */
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
