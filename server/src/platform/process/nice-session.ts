/**
 * Puts a program behind all others, where Linux shares out time by sessions first: nice counts among the programs of a session
 * only, and each of ours has one of its own.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A tenth of what others get: with the least there is, 19, a program comes to a stop on a machine that is busy for long. */
const NICENESS = '10';
/** Linux takes one such wish in a tenth of a second from an ordinary user, whoever it is about. */
const AGAIN_MS = 110;
const MAX_TRIES = 50;

/** Where there is no such thing, or the program has ended, nothing is to be done. */
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
