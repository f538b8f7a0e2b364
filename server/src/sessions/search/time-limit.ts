/** What is answered when the database gives up on a question about sessions. */
import { inTime as inTimeOrNarrower } from '../../platform/http/in-time.ts';
import type { SessionFilter } from './query.ts';

const REFUSAL = {
  among: 'messages',
  narrower: 'narrow the sessions by user, project_id, agent, model, label or origin',
};

/** @param filter with which the question is asked */
export const inTime = <Result>({ search }: Pick<SessionFilter, 'search'>, ask: () => Promise<Result>) =>
  inTimeOrNarrower({ search, ...REFUSAL }, ask);
