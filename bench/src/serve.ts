/** The child's end of `server-process.ts`: reports its addresses, and ends when the benchmark disconnects. */

export type Report<Addresses> = { readonly addresses: Addresses } | { readonly failure: string };

export async function serve<Addresses>(listen: () => Promise<Addresses>): Promise<void> {
  // A regular exit, so that `--cpu-prof` writes its profile.
  process.on('disconnect', () => process.exit(0));
  try {
    tell({ addresses: await listen() });
  } catch (error) {
    tell({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(report: Report<unknown>): void {
  process.send?.(report);
}
