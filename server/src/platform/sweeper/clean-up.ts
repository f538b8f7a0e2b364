import type { Db } from '../db/connect.ts';

/** What is done again and again, so that what has ended does not pile up and nothing is forgotten. */
export interface CleanUp {
  readonly name: string;
  /** In batches, so that it never holds many locks. @returns how many rows it dealt with */
  run(db: Db): Promise<number>;
}
