/** The error for queries that exceed the database's limit of half a minute (see platform/db/migrate). */
import pg from 'pg';
import { ApiError, invalidValue } from '../../errors.ts';

const QUERY_CANCELED = '57014';

interface TimeoutAdvice {
  /** The search text, if any. */
  readonly search: string | undefined;
  /** Name of the searched items. */
  readonly among: string;
  /** Advice for the caller. */
  readonly narrower: string;
}

export async function inTime<Result>(
  { search, among, narrower }: TimeoutAdvice,
  query: () => Promise<Result>,
): Promise<Result> {
  try {
    return await query();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)) throw error;
    if (search === undefined) {
      throw new ApiError('gateway_timeout_error', `The database took too long; ${narrower}.`, {
        cause: error,
      });
    }
    throw invalidValue(['query', 'search'], `takes too long among so many ${among}; ${narrower}`);
  }
}
