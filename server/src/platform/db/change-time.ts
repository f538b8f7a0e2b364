/**
 * Timestamp of a row's change: later than the previous one, whatever the clock says and however long the update waited for the row's lock.
 */
import { sql } from 'kysely';

/** For the column `updated_at` of the row that is updated. */
export const NEXT_CHANGE = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;
