/** The cost of one synchronous write to that disk, as `dd` measures it. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @returns the average milliseconds of a write */
export async function writeWithDd(folder: string, bytes: number, count: number): Promise<number> {
  const file = join(folder, 'bench-dd');
  const args = ['if=/dev/zero', `of=${file}`, `bs=${bytes}`, `count=${count}`, 'oflag=dsync'];
  const { stderr } = await run('dd', args, { env: { PATH: process.env.PATH, LC_ALL: 'C' } });
  await rm(file);
  const seconds = /copied, ([\d.e+-]+) s,/.exec(stderr)?.[1];
  if (seconds === undefined) throw new Error(`dd printed no time: ${stderr}`);
  return (Number(seconds) / count) * 1000;
}
