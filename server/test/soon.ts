import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

const TURNS = 100;

/** Whether the work settles within 100 turns of the event loop, independent of the machine's speed and of any clock. */
export async function settlesSoon(work: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  for (let turn = 0; turn < TURNS; turn++) await turnOfEventLoop();
  return isSettled;
}
