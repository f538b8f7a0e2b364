/** Selects the column values of sessions; shared by the statements that load and refresh them. */
import { sql } from 'kysely';
import { ORIGINS } from '../../schema.ts';
import { FLAG_ARCHIVED, FLAG_FROZEN, FLAG_SHARED, FLAG_SPOKEN } from './session-columns.ts';

/** Computes the flags of a row `s` of sessions. */
export const FLAGS_OF_ROW = sql<number>`array_position(${sql.lit(`{${ORIGINS.join(',')}}`)}::text[], s.origin) - 1
  + CASE WHEN s.visibility = 'workspace' THEN ${sql.lit(FLAG_SHARED)} ELSE 0 END
  + CASE WHEN s.archived_at IS NULL THEN 0 ELSE ${sql.lit(FLAG_ARCHIVED)} END
  + CASE WHEN s.frozen_at IS NULL THEN 0 ELSE ${sql.lit(FLAG_FROZEN)} END
  + CASE WHEN s.last_seq > 0 THEN ${sql.lit(FLAG_SPOKEN)} ELSE 0 END`;

export const MESSAGE_COUNT_OF_ROW = sql<number>`coalesce(s.claimed_message_count, s.last_seq)`;
