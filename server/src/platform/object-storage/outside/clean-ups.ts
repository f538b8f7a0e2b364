/** Cleanup of uploads that killed processes and clients left in an S3 server. */
import type { CleanUp } from '../../clean-up.ts';
import { EVERYONES_PREFIX, REGISTRY_PREFIX } from '../prefixes.ts';
import type { OutsideStorage } from './outside-storage.ts';

const DAY_MS = 24 * 3_600_000;
/** The same lifetime as in the embedded store. */
const UPLOADS_LAST_MS = 7 * DAY_MS;
/** Listing uploads costs money; it does no harm if another process has just listed them as well. */
const EVERY_MS = 3_600_000;

export function outsideCleanUps(storage: Pick<OutsideStorage, 'abortUploadsBefore'>): CleanUp[] {
  let nextAt = 0;
  return [
    {
      name: 'unfinished uploads',
      async run() {
        if (performance.now() < nextAt) return 0;
        nextAt = performance.now() + EVERY_MS;
        const before = new Date(Date.now() - UPLOADS_LAST_MS);
        return storage.abortUploadsBefore([EVERYONES_PREFIX, REGISTRY_PREFIX], before);
      },
    },
  ];
}
