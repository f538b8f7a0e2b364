/** When a row changed: later than it did before, whatever the clock says and however long its lock was waited for. */
import { sql } from 'kysely';

/** For the column `updated_at` of the row that is updated. */
export const NEXT_CHANGE = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;
