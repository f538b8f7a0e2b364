/** Runs a client's program without any settings of this machine. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export type RunProgram = (...args: string[]) => Promise<string>;

/** A program that failed; the message is its output. */
export class ProgramFailure extends Error {}

/** @returns a function that runs the program and returns its output */
export function clientProgram(
  program: string | null | undefined,
  home: string,
  environment: Record<string, string> = {},
): RunProgram {
  if (!program) throw new Error('it is not installed');
  return async (...args) => {
    const child = spawn(program, args, {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', ...environment },
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new ProgramFailure(`${program} ended with ${code}: ${stderr || stdout}`);
    return stdout;
  };
}

export const linesOf = (output: string) => output.split('\n').filter((line) => line !== '');
