/** Prints the output of the demo. */
import { WHERE } from './publish.ts';

let lastLine = '';

export function say(line: string): void {
  console.log(line);
}

export function percent(rate: number | null): string {
  return rate === null ? 'not measured' : `${Math.round(rate * 100)} %`;
}

/** Overwrites one line at a terminal; elsewhere, only its last state is printed. */
export function progress(line: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`);
  lastLine = line;
}

/** Prints a line with the address of a page of the console. */
export function linkTo(path: string): void {
  console.log(`   ${consoleUrl}/o/${WHERE.org}/w/${WHERE.workspace}/${path}`);
}

let consoleUrl = '';

export function setConsole(url: string): void {
  consoleUrl = url;
}

const POLL_MS = 250;
const OPEN = new Set(['pending', 'queued', 'running']);

/** Polls a job until it has ended, and shows its progress. */
export async function waitFor<Job extends { readonly status: string }>(
  read: () => PromiseLike<Job>,
  describe: (job: Job) => string,
): Promise<Job> {
  for (;;) {
    const job = await read();
    progress(describe(job));
    if (!OPEN.has(job.status)) {
      endProgress();
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export function endProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\n');
  else console.log(lastLine);
}
