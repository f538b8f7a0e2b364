/** Log of a sandbox: its state transitions and network requests, in the order in which they were stored. */
import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import type { SandboxKey } from '../accounting/periods.ts';

/** Entries beyond this number are dropped, since a guest may produce any number. */
const MAX_ENTRIES = 10_000;

export interface LogEntry {
  readonly kind: 'lifecycle' | 'egress';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Milliseconds ago, by the host's clock. */
  readonly agoMs?: number;
}

/** The caller holds the lock of the sandbox's row. */
export async function writeLog(trx: Trx, key: SandboxKey, entries: readonly LogEntry[]): Promise<void> {
  await toLogStatement(key, entries).execute(trx);
}

/**
 * Builds the insert as a part, in parentheses, of the statement that changes the sandbox.
 * @param hasChanged condition evaluated within that statement
 */
export function toLogStatement(
  { organizationId, sandboxId }: SandboxKey,
  entries: readonly LogEntry[],
  hasChanged = sql<boolean>`true`,
): RawBuilder<object> {
  const column = (read: (entry: LogEntry) => unknown) => sql.val(entries.map(read));
  return sql`
    INSERT INTO sandbox_log (organization_id, sandbox_id, number, at, kind, message, details)
    SELECT ${organizationId}, ${sandboxId}, last.number + entry.ordinal,
           clock_timestamp() - make_interval(secs => entry.ago_ms / 1000.0), entry.kind, entry.message, entry.details
      FROM (SELECT coalesce(max(number), 0) AS number FROM sandbox_log
             WHERE organization_id = ${organizationId} AND sandbox_id = ${sandboxId}) AS last,
           unnest(${column(({ agoMs = 0 }) => Math.max(0, Math.round(agoMs)))}::bigint[],
                  ${column(({ kind }) => kind)}::text[],
                  ${column(({ message }) => message)}::text[],
                  ${column(({ details = {} }) => JSON.stringify(details))}::jsonb[])
             WITH ORDINALITY AS entry (ago_ms, kind, message, details, ordinal)
     WHERE ${hasChanged} AND (entry.kind = 'lifecycle' OR last.number + entry.ordinal <= ${MAX_ENTRIES})`;
}

/** Takes the lock and writes the log. */
export async function appendLog(trx: Trx, key: SandboxKey, entries: readonly LogEntry[]): Promise<void> {
  const locked = await trx
    .selectFrom('sandboxes')
    .select('id')
    .where('organization_id', '=', key.organizationId)
    .where('id', '=', key.sandboxId)
    .forUpdate()
    .executeTakeFirst();
  if (locked) await writeLog(trx, key, entries);
}
