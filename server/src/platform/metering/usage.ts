/** Usage: an append-only record of what was used, and exact sums of it. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Trx } from '../db/transaction.ts';
import { list } from '../db/value-list.ts';

export interface UsageEvent {
  readonly organizationId: string;
  /** Which part reports it, such as `gateway`. */
  readonly source: string;
  /** Names the call, the same in every source that reports it: a repeat counts once. At most 256 characters. */
  readonly externalId: string;
  /** The source whose report of the same call counts instead of this one, whichever arrives first. */
  readonly yieldsTo?: string | undefined;
  readonly userId: string | null;
  /** What sort of thing is counted, such as `inference`, and which one of these, such as the model. */
  readonly kind: string;
  readonly item: string;
  /** ISO 8601 with milliseconds. */
  readonly occurredAt: string;
  readonly quantities: GivenQuantities;
}

/** Each is a column, of this type; another one is a migration. */
const QUANTITIES = {
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  cache_read_input_tokens: 'bigint',
  cache_creation_input_tokens: 'bigint',
  seconds: 'numeric',
  cost_usd: 'numeric',
  credits: 'bigint',
} as const;

export type Quantities = Record<keyof typeof QUANTITIES, number>;

/** What is no whole number may come as a decimal, so that no digit of it is lost. */
export type GivenQuantities = Partial<Omit<Quantities, 'cost_usd'>> & { readonly cost_usd?: number | string };

const NAMES = Object.keys(QUANTITIES) as (keyof Quantities)[];

export interface UsageSum extends Quantities {
  readonly item: string;
  readonly count: number;
}

/** @returns whether it was new; false for a repeat, which changes nothing */
export async function recordUsage(trx: Trx, event: UsageEvent): Promise<boolean> {
  const [isNew = false] = await recordUsages(trx, [event]);
  return isNew;
}

/** Many at once, of one organization or several; of repeats among them the first is the one that counts. */
export async function recordUsages(trx: Trx, events: readonly UsageEvent[]): Promise<boolean[]> {
  const { rows } = await sql<{ organization_id: string; source: string; external_id: string }>`
    INSERT INTO usage_events (${COLUMNS}) ${toRows(events)}
    ON CONFLICT (organization_id, source, external_id) DO NOTHING
    RETURNING organization_id, source, external_id`.execute(trx);
  const inserted = new Set(rows.map((row) => keyOf(row.organization_id, row.source, row.external_id)));
  return events.map(({ organizationId, source, externalId }) =>
    inserted.delete(keyOf(organizationId, source, externalId)),
  );
}

function toRows(events: readonly UsageEvent[]): RawBuilder<unknown> {
  // In the order of their keys: two batches that share calls may wait for each other, but never in a circle.
  const sorted = events
    .map((event) => ({ event, key: keyOf(event.organizationId, event.source, event.externalId) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  const column = (read: (event: UsageEvent) => unknown, type: string) =>
    list(
      sorted.map(({ event }) => read(event)),
      type,
    );
  return sql`
    SELECT ${COLUMNS} FROM unnest(
      ${column(({ organizationId }) => organizationId, 'uuid')},
      ${column(({ source }) => source, 'text')},
      ${column(({ externalId }) => externalId, 'text')},
      ${column(({ yieldsTo }) => yieldsTo, 'text')},
      ${column(({ userId }) => userId, 'uuid')},
      ${column(({ kind }) => kind, 'text')},
      ${column(({ item }) => item, 'text')},
      ${column(({ occurredAt }) => occurredAt, 'timestamptz')},
      ${sql.join(NAMES.map((name) => column(({ quantities }) => quantities[name] ?? 0, QUANTITIES[name])))}
    ) AS event (${COLUMNS})`;
}

const COLUMNS = sql.raw(
  ['organization_id, source, external_id, yields_to, user_id, kind, item, occurred_at', ...NAMES].join(', '),
);

const keyOf = (...parts: string[]) => parts.join('\0');

export interface UsageWindow {
  readonly kind: string;
  /** Without it, of everybody. */
  readonly userId?: string | undefined;
  /** Both ends belong to the window. */
  readonly from: string;
  readonly to: string;
}

/** One sum per item, by the item's name. */
export async function sumUsage(
  db: Db,
  organizationId: string,
  { kind, userId, from, to }: UsageWindow,
): Promise<UsageSum[]> {
  const sums = NAMES.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`);
  // OFFSET 0 keeps PostgreSQL from joining with all that the organization ever used: it looks up each call that yields.
  const { rows } = await sql<UsageSum>`
    SELECT item, count(*) AS count, ${sql.join(sums)}
      FROM usage_events AS u
     WHERE organization_id = ${organizationId}
       AND kind = ${kind}
       AND occurred_at BETWEEN ${from} AND ${to}
       ${userId === undefined ? sql`` : sql`AND user_id = ${userId}`}
       AND (yields_to IS NULL OR NOT EXISTS (
             SELECT FROM usage_events AS w
              WHERE w.organization_id = u.organization_id
                AND w.source = u.yields_to
                AND w.external_id = u.external_id
             OFFSET 0))
     GROUP BY item
     ORDER BY item`.execute(db);
  return rows;
}
