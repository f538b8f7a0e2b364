/** What is answered when the database gives up on a question: it does so after half a minute (see platform/db/migrate). */
import pg from 'pg';
import { ApiError, invalidValue } from '../../platform/http/errors.ts';
import type { SessionFilter } from './query.ts';

const QUERY_CANCELED = '57014';
const NARROWER = 'narrow the sessions by user, project_id, agent, model, label or origin';

/** @param filter with which the question is asked */
export async function inTime<Result>(
  { search }: Pick<SessionFilter, 'search'>,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)) throw error;
    if (search === undefined) {
      throw new ApiError('gateway_timeout_error', `This took the database too long; ${NARROWER}.`, {
        cause: error,
      });
    }
    throw invalidValue(['query', 'search'], `takes too long among so many messages; ${NARROWER}`);
  }
}
