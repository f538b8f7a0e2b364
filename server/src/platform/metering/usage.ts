/** Usage: an append-only record of what was used. */
import { sql } from 'kysely';
import { recordSet } from '../db/record-set.ts';
import type { Trx } from '../db/transaction.ts';

export interface UsageEvent {
  readonly organizationId: string;
  /** The component that reports the event, such as `gateway`. */
  readonly source: string;
  /** Identifies the event within its source: a repeat counts once. At most 256 characters. */
  readonly externalId: string;
  readonly userId: string | null;
  /** The kind of resource that is counted, such as `inference`, and its name, such as the model. */
  readonly kind: string;
  readonly item: string;
  /** ISO 8601 with milliseconds. */
  readonly occurredAt: string;
  readonly quantities: GivenQuantities;
}

/** Each quantity is a column of this type; another one requires a migration. */
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

/** A cost may be a decimal string, so that it keeps every digit. */
export type GivenQuantities = Partial<Omit<Quantities, 'cost_usd'>> & { readonly cost_usd?: number | string };

const NO_QUANTITIES: Quantities = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  seconds: 0,
  cost_usd: 0,
  credits: 0,
};

/**
 * Records events of one organization or several. The first of two with the same key counts.
 * @returns for each event whether it was new; a repeat changes nothing
 */
export async function recordUsages(trx: Trx, events: readonly UsageEvent[]): Promise<boolean[]> {
  const { rows } = await usageInsert(events).execute(trx);
  const inserted = new Set(rows.map((row) => keyOf(row.organization_id, row.source, row.external_id)));
  return events.map(({ organizationId, source, externalId }) =>
    inserted.delete(keyOf(organizationId, source, externalId)),
  );
}

/** The statement of `recordUsages`, also for a WITH clause: a caller that stores rows of its own saves the round trips of a transaction. */
export const usageInsert = (events: readonly UsageEvent[]) => sql<{
  organization_id: string;
  source: string;
  external_id: string;
}>`
  INSERT INTO usage_events (${EVENTS.names}) ${EVENTS.select(inOrder(events).map(toRow))}
  ON CONFLICT (organization_id, source, external_id) DO NOTHING
  RETURNING organization_id, source, external_id`;

/** Orders by key, so that two batches never deadlock. */
function inOrder(events: readonly UsageEvent[]): UsageEvent[] {
  return events
    .map((event) => ({ event, key: keyOf(event.organizationId, event.source, event.externalId) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ event }) => event);
}

const EVENTS = recordSet({
  organization_id: 'uuid',
  source: 'text',
  external_id: 'text',
  user_id: 'uuid',
  kind: 'text',
  item: 'text',
  occurred_at: 'timestamptz',
  ...QUANTITIES,
});

const toRow = ({ quantities, ...event }: UsageEvent) => ({
  organization_id: event.organizationId,
  source: event.source,
  external_id: event.externalId,
  user_id: event.userId,
  kind: event.kind,
  item: event.item,
  occurred_at: event.occurredAt,
  ...NO_QUANTITIES,
  ...quantities,
});

const keyOf = (...parts: string[]) => parts.join('\0');
