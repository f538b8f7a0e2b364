/** Tells of sandboxes that have ended, whoever started them: each leaves a file, made at that moment. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';

export class EndWatch {
  private readonly folder: string;
  private readonly watcher: FSWatcher | undefined;

  /** @param told may be told more than once, and of some that have not ended */
  constructor(folder: string, told: (id: string) => void) {
    this.folder = folder;
    this.watcher = tryToWatch(folder, told);
  }

  find(id: string): Date | undefined {
    return statSync(join(this.folder, id), { throwIfNoEntry: false })?.mtime;
  }

  close(): void {
    this.watcher?.close();
  }
}

/**
 * Without it, ends are noticed at the next look. What may be watched is counted by user: where sandboxes have this process's
 * own, they can use it up.
 */
function tryToWatch(folder: string, told: (id: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name) told(name);
    });
    return watcher.on('error', () => undefined);
  } catch {
    return undefined;
  }
}
