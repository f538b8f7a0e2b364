/** Usage: an append-only record of what was used. */
import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../db/transaction.ts';
import { list } from '../db/value-list.ts';

export interface UsageEvent {
  readonly organizationId: string;
  /** Which part reports it, such as `gateway`. */
  readonly source: string;
  /** Names the event within its source: a repeat counts once. At most 256 characters. */
  readonly externalId: string;
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

/**
 * Records events of one organization or several. The first of two with the same key counts.
 *
 * @returns for each whether it was new; a repeat changes nothing
 */
export async function recordUsages(trx: Trx, events: readonly UsageEvent[]): Promise<boolean[]> {
  const { rows } = await usageInsert(events).execute(trx);
  const inserted = new Set(rows.map((row) => keyOf(row.organization_id, row.source, row.external_id)));
  return events.map(({ organizationId, source, externalId }) =>
    inserted.delete(keyOf(organizationId, source, externalId)),
  );
}

/** The statement of `recordUsages`, also for a WITH: a caller that stores rows of its own saves the round trips of a transaction. */
export const usageInsert = (events: readonly UsageEvent[]) => sql<{
  organization_id: string;
  source: string;
  external_id: string;
}>`
  INSERT INTO usage_events (${COLUMNS}) ${toRows(events)}
  ON CONFLICT (organization_id, source, external_id) DO NOTHING
  RETURNING organization_id, source, external_id`;

function toRows(events: readonly UsageEvent[]): RawBuilder<unknown> {
  // In the order of their keys, so that two batches never wait for each other in a circle.
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
      ${column(({ userId }) => userId, 'uuid')},
      ${column(({ kind }) => kind, 'text')},
      ${column(({ item }) => item, 'text')},
      ${column(({ occurredAt }) => occurredAt, 'timestamptz')},
      ${sql.join(NAMES.map((name) => column(({ quantities }) => quantities[name] ?? 0, QUANTITIES[name])))}
    ) AS event (${COLUMNS})`;
}

const COLUMNS = sql.raw(
  ['organization_id, source, external_id, user_id, kind, item, occurred_at', ...NAMES].join(', '),
);

const keyOf = (...parts: string[]) => parts.join('\0');
