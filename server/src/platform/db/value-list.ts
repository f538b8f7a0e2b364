import { type RawBuilder, sql } from 'kysely';

/** An array for a statement, written as a subquery, because otherwise every length would need a plan of its own. */
export const list = (values: unknown, type: string): RawBuilder<unknown> =>
  sql`(SELECT ${values}::${sql.raw(type)}[])`;
