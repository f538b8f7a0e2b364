/** Reports ended sandboxes, whichever process started them: each leaves a file, created at that moment. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';

export class EndWatch {
  private readonly folder: string;
  private readonly watcher: FSWatcher | undefined;

  /** @param onEnd may be called more than once, and for sandboxes that have not ended */
  constructor(folder: string, onEnd: (id: string) => void) {
    this.folder = folder;
    this.watcher = tryToWatch(folder, onEnd);
  }

  find(id: string): Date | undefined {
    return statSync(join(this.folder, id), { throwIfNoEntry: false })?.mtime;
  }

  close(): void {
    this.watcher?.close();
  }
}

/**
 * Returns undefined when no watch is available, and ends are found by the next check. Watches are limited per user: sandboxes that run as
 * the server's user can use them up.
 */
function tryToWatch(folder: string, onEnd: (id: string) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name) onEnd(name);
    });
    return watcher.on('error', () => undefined);
  } catch {
    return undefined;
  }
}
