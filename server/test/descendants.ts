/** The processes that a process has started, and those that they have. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Those that are on their way out are none any more. */
export function descendantsOf(pid: number): number[] {
  const folder = `/proc/${pid}/task`;
  const threads = existsSync(folder) ? readdirSync(folder) : [];
  const all: number[] = [];
  for (const child of threads.flatMap(
    (thread) => readSafely(`${folder}/${thread}/children`).match(/\d+/g) ?? [],
  ))
    all.push(Number(child), ...descendantsOf(Number(child)));
  return all;
}

/** A zombie that nobody has collected yet runs no more. */
export const isRunning = (pid: number) => /\) [^ZX] /.test(readSafely(`/proc/${pid}/stat`));

export const commandOf = (pid: number) => readSafely(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

/** Those in which DuckDB answers questions, and those that bring it rows. */
export const findQueryProcesses = (pid: number) =>
  descendantsOf(pid)
    .filter(
      (child) =>
        isRunning(child) &&
        /analytics\/child\/query\/main\.ts|sql-tables\/mover\/main\.ts/.test(commandOf(child)),
    )
    .map((child) => ({ pid: child, command: commandOf(child) }));

function readSafely(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
