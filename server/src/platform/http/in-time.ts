/** What is answered when the database gives up on a question: it does so after half a minute (see platform/db/migrate). */
import pg from 'pg';
import { ApiError, invalidValue } from '../errors.ts';

const QUERY_CANCELED = '57014';

interface Question {
  /** What is searched for, if anything. */
  readonly search: string | undefined;
  /** Among what that is searched. */
  readonly among: string;
  /** What the caller can do about it. */
  readonly narrower: string;
}

export async function inTime<Result>(
  { search, among, narrower }: Question,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)) throw error;
    if (search === undefined) {
      throw new ApiError('gateway_timeout_error', `This took the database too long; ${narrower}.`, {
        cause: error,
      });
    }
    throw invalidValue(['query', 'search'], `takes too long among so many ${among}; ${narrower}`);
  }
}
