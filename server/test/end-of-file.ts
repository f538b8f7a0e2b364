/** Closes resources of a test file when the file ends, even those opened inside a test, where a hook would never be called. */

type Close = () => unknown;

const closes: Close[] = [];

/** The last opened resource is closed first. */
export function atEndOfFile(close: Close): void {
  closes.push(close);
}

/** Called by each-file.ts at the end of a file. */
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
