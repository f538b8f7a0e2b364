/** Runs a client's program with nothing of this machine's settings. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export type RunProgram = (...args: string[]) => Promise<string>;

/** A program that failed: its message is what it said. */
export class ProgramFailure extends Error {}

/** @returns what runs it and gives what it printed */
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
