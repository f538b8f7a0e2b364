/** Saves the progress of long work while it runs, and ends the work when its row belongs to another attempt or is gone. */
import type { Follow, Work } from './job-kind.ts';
import { Superseded } from './job-row.ts';

const SAVE_MS = 2_000;

type Followed = Pick<Work<never>, 'signal' | 'log' | 'save'>;

export function createFollow({ signal, log, save: saveFenced }: Followed): Follow {
  return async (save, run) => {
    const over = new AbortController();
    let saving: Promise<void> | undefined;
    const saveOnce = async () => {
      try {
        await saveFenced(save);
      } catch (error) {
        // The work continues while the database is away for a moment.
        if (error instanceof Superseded) over.abort(error);
        else log.warn({ err: error }, 'the progress of a job could not be saved');
      }
    };
    const timer = setInterval(() => {
      saving ??= saveOnce().finally(() => {
        saving = undefined;
      });
    }, SAVE_MS);
    try {
      return await run(AbortSignal.any([signal, over.signal]));
    } catch (error) {
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearInterval(timer);
      await saving; // otherwise an older value could overwrite what the step saves next
    }
  };
}
