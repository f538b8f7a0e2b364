/** What the demo prints. */

let lastLine = '';

export function say(line: string): void {
  console.log(line);
}

export function percent(rate: number | null): string {
  return rate === null ? 'not measured' : `${Math.round(rate * 100)} %`;
}

/** One line that is written over at a terminal; elsewhere, only its last state is printed. */
export function progress(line: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`);
  lastLine = line;
}

export function endProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\n');
  else console.log(lastLine);
}
