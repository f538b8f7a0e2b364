import type { Db } from './db/connect.ts';

/** A scheduled task that removes expired rows and objects, or picks up forgotten work. */
export interface CleanUp {
  readonly name: string;
  /**
   * Works in batches, so that it never holds many locks.
   * @returns how many rows it handled
   */
  run(db: Db): Promise<number>;
}
