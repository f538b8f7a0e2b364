/** Finds the child processes of a process, and their descendants. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Excludes processes that are exiting. */
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

/** A zombie that has not been reaped yet is not running. */
export const isRunning = (pid: number) => /\) [^ZX] /.test(readSafely(`/proc/${pid}/stat`));

export const commandOf = (pid: number) => readSafely(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

/** Finds the DuckDB processes that run queries, and those that feed them rows. */
export const findQueryProcesses = (pid: number) =>
  descendantsOf(pid)
    .filter(
      (child) =>
        isRunning(child) &&
        /analytics\/child\/query\/main\.ts|sql-tables\/exporter\/main\.ts/.test(commandOf(child)),
    )
    .map((child) => ({ pid: child, command: commandOf(child) }));

function readSafely(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
