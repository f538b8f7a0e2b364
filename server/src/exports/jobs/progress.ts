/** Writes down how far an export is while it is made, and ends it once its row is another attempt's, or gone. */

import type { Work } from '../../platform/jobs/job-kind.ts';
import { Superseded } from '../../platform/jobs/job-row.ts';

const SAVE_MS = 2_000;

export interface Progress {
  rowsRead: number;
  readonly note: (rowsRead: number) => void;
}

export async function followProgress<Result>(
  work: Work<never>,
  make: (signal: AbortSignal, progress: Progress) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const progress: Progress = {
    rowsRead: 0,
    note: (rowsRead) => {
      progress.rowsRead = rowsRead;
    },
  };
  let isSaving = false;
  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    try {
      await saveRowsRead(work, progress.rowsRead);
    } catch (error) {
      // A database that is away for a moment is no reason to begin anew.
      if (error instanceof Superseded) over.abort(error);
      else work.log.warn({ err: error }, 'the progress of an export could not be saved');
    } finally {
      isSaving = false;
    }
  };
  const timer = setInterval(() => void save(), SAVE_MS);
  try {
    return await make(AbortSignal.any([work.signal, over.signal]), progress);
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    clearInterval(timer);
  }
}

/** Also when nothing was read since: whether it is still to be made is learnt from it. */
function saveRowsRead({ organizationId, id, save }: Work<never>, rowsRead: number): Promise<void> {
  return save(async (trx) => {
    await trx
      .updateTable('exports')
      .set({ rows_read: rowsRead })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
  });
}
