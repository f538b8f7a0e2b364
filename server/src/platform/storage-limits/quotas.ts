/**
 * Limits how much an organization may store of each kind. Triggers of migration 0018 enforce this for objects and artifacts in the
 * statement that stores them; spans are checked by `traces/ingest/span-ingest.ts`, disks by `runtimes/lifecycle/disk-sizes.ts`. See
 * docs/design/storage-limits.md.
 */
import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { nearestFolder } from './disk-reserve.ts';
import { quotaExceeded } from './storage-limit-error.ts';

export const STORED_KINDS = ['objects', 'registry', 'runtimes', 'spans'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

/** Bytes; null: no quota. Omitted kinds keep the value that another process has set. */
export type Quotas = Readonly<Partial<Record<StoredKind, number | null>>>;

/** Shares of the disk: one organization that uses up all its quotas leaves space for others. */
const DEFAULT_SHARES: Readonly<Record<StoredKind, number>> = {
  objects: 0.2,
  registry: 0.2,
  runtimes: 0.2,
  spans: 0.1,
};

/**
 * @param given undefined stands for the share of the disk on which `folder` lies
 * @param isLocal whether this process stores the kind there. Other kinds get no quota from it, unless one is given
 */
export async function toQuotas(
  given: Readonly<Record<StoredKind, number | null | undefined>>,
  folder: string,
  isLocal: Readonly<Record<StoredKind, boolean>>,
): Promise<Quotas> {
  const { blocks, bsize } = await statfs(nearestFolder(folder));
  const entries = STORED_KINDS.filter((kind) => given[kind] !== undefined || isLocal[kind]).map((kind) => {
    const quota = given[kind];
    return [kind, quota === undefined ? Math.floor(blocks * bsize * DEFAULT_SHARES[kind]) : quota] as const;
  });
  return Object.fromEntries(entries);
}

/** Stores the quotas; the settings of the process that started last apply to all. */
export async function writeQuotas(db: Db, quotas: Quotas): Promise<void> {
  const rows = STORED_KINDS.flatMap((kind) => {
    const bytes = quotas[kind];
    return bytes === undefined ? [] : { kind, bytes };
  });
  if (rows.length === 0) return;
  await db
    .insertInto('storage_quotas')
    .values(rows)
    .onConflict((conflict) => conflict.column('kind').doUpdateSet({ bytes: sql`excluded.bytes` }))
    .execute();
}

export interface StoredAmount {
  readonly organization_id: string;
  readonly kind: StoredKind;
  readonly used_bytes: number;
  /** null: no quota. */
  readonly limit_bytes: number | null;
}

export async function readStored(db: Db, organizationIds: readonly string[]): Promise<StoredAmount[]> {
  const { rows } = await sql<StoredAmount>`
    SELECT o.organization_id, k.kind, q.bytes AS limit_bytes, stored_of(o.organization_id, k.kind) AS used_bytes
      FROM unnest(${organizationIds}::uuid[]) WITH ORDINALITY AS o (organization_id, place)
     CROSS JOIN unnest(${STORED_KINDS}::text[]) WITH ORDINALITY AS k (kind, place)
      LEFT JOIN storage_quotas AS q ON q.kind = k.kind
     ORDER BY o.place, k.place`.execute(db);
  return rows;
}

/** @returns bytes that the organization may still store; null: no quota */
export async function findQuotaLeft(
  db: Db,
  organizationId: string,
  kind: StoredKind,
): Promise<number | null> {
  const { rows } = await sql<{ left: number | null }>`
    SELECT quota_left(${organizationId}, ${kind}) AS left`.execute(db);
  return rows[0]?.left ?? null;
}

/** @throws {StorageLimitError} when the organization may not store that many additional bytes */
export async function requireQuota(
  db: Db,
  organizationId: string,
  kind: StoredKind,
  bytes: number,
): Promise<void> {
  const left = await findQuotaLeft(db, organizationId, kind);
  if (left !== null && left < bytes) throw quotaExceeded(kind);
}
