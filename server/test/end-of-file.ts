/** Closes what a test file has opened when the file ends, wherever in it that was: a hook that is set inside of a test is never called. */

type Close = () => unknown;

const closes: Close[] = [];

/** The last that was opened is closed first. */
export function atEndOfFile(close: Close): void {
  closes.push(close);
}

/** For each-file.ts, which knows when that is. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closes.splice(0).toReversed()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
