/** Creates the pipes for rows, and checks whether all rows have arrived: see RowPipe. */
import { lstatSync } from 'node:fs';
import { runProgram } from '../process/run-program.ts';
import { PIPES, pipePath } from '../sql-tables/segments.ts';

const MKFIFO = { command: 'mkfifo', env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000 };

/**
 * Creates pipes for this many tables in an existing folder.
 * @throws the signal's reason
 */
export async function makePipes(folder: string, count: number, signal: AbortSignal): Promise<void> {
  const paths = Array.from({ length: count * PIPES }, (_, index) =>
    pipePath(folder, Math.floor(index / PIPES), index),
  );
  const made = await runProgram({ ...MKFIFO, args: ['-m', '600', '--', ...paths], cwd: folder, signal });
  if (made.exitCode !== 0) throw new Error(`Pipes could not be made: ${made.stderr.slice(-300)}`);
}

/** Returns whether all rows of the table were delivered. */
export const isGiven = (folder: string, need: number) => lstatSync(pipePath(folder, need, 0)).isFile();
