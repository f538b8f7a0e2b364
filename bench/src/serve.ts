/** The child's end of `server-process.ts`: says where it listens, and ends when the bench lets go of it. */
import type { Origins } from './requests.ts';

export type Report = { readonly origins: Origins } | { readonly failure: string };

export async function serve(listen: () => Promise<Origins>): Promise<void> {
  // A regular exit, so that `--cpu-prof` writes what it has seen.
  process.on('disconnect', () => process.exit(0));
  try {
    tell({ origins: await listen() });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(report: Report): void {
  process.send?.(report);
}
