/** Runs a program to its end, with limits for memory, time and output: see start-program.ts. */
import { keepOutput } from './kept-output.ts';
import { type LimitedProgram, type ProgramEnd, startProgram } from './start-program.ts';

export interface Program extends LimitedProgram {
  /** Input of the program; empty by default. */
  readonly stdin?: string | Uint8Array;
  /** Limit for stdout and stderr each. Output beyond it is dropped; the program still finishes. */
  readonly maxOutputBytes?: number;
}

export interface ProgramResult extends Omit<ProgramEnd, 'aborted'> {
  readonly stdout: string;
  readonly stderr: string;
  /** Whether output was dropped. */
  readonly truncated: boolean;
  readonly duration_ms: number;
}

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;

/**
 * Any behaviour of the program is reported in the result. It throws only for a mistake of the caller (no such program, no such folder, a
 * limit that cannot be applied) or with the signal's reason.
 */
export async function runProgram(program: Program): Promise<ProgramResult> {
  const started = performance.now();
  const { stdin, ended, ...outputs } = await startProgram(program);
  const limit = program.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const stdout = keepOutput(outputs.stdout, limit);
  const stderr = keepOutput(outputs.stderr, limit);
  stdin.end(program.stdin ?? '');
  const { aborted, ...end } = await ended;
  if (aborted) program.signal?.throwIfAborted();
  return {
    ...end,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.isTruncated() || stderr.isTruncated(),
    duration_ms: Math.round(performance.now() - started),
  };
}
