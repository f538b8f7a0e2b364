import { type RawBuilder, sql } from 'kysely';

/** An array for a statement: as a query of its own, because else the statement would be planned anew for every length. */
export const list = (values: unknown, type: string): RawBuilder<unknown> =>
  sql`(SELECT ${values}::${sql.raw(type)}[])`;
