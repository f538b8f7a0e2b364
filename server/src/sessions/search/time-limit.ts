/** The error when a query for sessions times out in the database. */
import { inTime as inTimeOrNarrower } from '../../platform/http/responses/in-time.ts';
import type { SessionFilter } from './query.ts';

const REFUSAL = {
  among: 'messages',
  narrower: 'narrow the sessions by user, project_id, agent, model, label or origin',
};

/** @param filter the filter of the query */
export const inTime = <Result>({ search }: Pick<SessionFilter, 'search'>, ask: () => Promise<Result>) =>
  inTimeOrNarrower({ search, ...REFUSAL }, ask);
