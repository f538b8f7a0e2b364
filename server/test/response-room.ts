/** A memory budget for the response of one call. */
import { memoryBudget } from '../src/platform/admission/budget.ts';

export const ownRoom = () => memoryBudget('large responses').open(undefined);
