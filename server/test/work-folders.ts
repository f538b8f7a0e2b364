/** A work folder that is closed when the test file ends. */
import { WorkFolder } from '../src/platform/analytics/work-folder.ts';
import { atEndOfFile } from './end-of-file.ts';

export async function openTestWork(): Promise<WorkFolder> {
  const work = await WorkFolder.open();
  atEndOfFile(() => work.close());
  return work;
}
