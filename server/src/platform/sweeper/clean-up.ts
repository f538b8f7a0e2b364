/** What the sweeper does now and then, one bounded batch at a time. */
import type { Db } from '../db/connect.ts';

export interface CleanUp {
  readonly name: string;
  /** @returns how many rows it dealt with; 0 when nothing is left */
  run(db: Db): Promise<number>;
}
