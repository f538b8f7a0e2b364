import type { CleanUp } from '../../platform/clean-up.ts';
import { forgetConversions } from './conversions.ts';
import { countDownloads } from './counting.ts';

export const downloadCleanUps: readonly CleanUp[] = [
  { name: 'downloads', run: (db) => countDownloads(db) },
  { name: 'conversions of deleted content', run: forgetConversions },
];
