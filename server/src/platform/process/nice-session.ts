/**
 * Gives a program the lowest priority on Linux systems with autogroups, which distribute time among sessions first: nice only counts within
 * a session, and each of our programs has its own.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A tenth of the time of others: with the lowest priority, 19, a program stalls on a machine that is busy for long. */
const NICENESS = '10';
/** Linux accepts one such write per 0.1 s from an unprivileged user, for any session. */
const AGAIN_MS = 110;
const MAX_TRIES = 50;

/** If autogroups do not exist or the program has ended, nothing is done. */
export async function niceSession(pid: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      await writeFile(`/proc/${pid}/autogroup`, NICENESS);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
    await sleep(AGAIN_MS, undefined, { ref: false });
  }
}
