import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../test/processes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { removeDeadWorkFolders, WorkFolder } from './work-folder.ts';

test('within creates a folder for the work, and removes it afterwards', async () => {
  const work = await openTestWork();
  const [one, other] = await Promise.all([
    work.within(async (folder) => {
      writeFileSync(join(folder, 'a'), 'x');
      expect(readdirSync(folder)).toEqual(['a']);
      return folder;
    }),
    work.within(async (folder) => folder),
  ]);
  expect(one).not.toBe(other);
  const failing = work.within(async (folder) => {
    mkdirSync(join(folder, 'b', 'c'), { recursive: true });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(readdirSync(work.path)).toEqual([]);
});

test('close removes the folder and refuses more work', async () => {
  const work = await WorkFolder.open();
  await work.close();
  expect(existsSync(work.path)).toBe(false);
  await expect(work.within(async () => 1)).rejects.toThrow('closed');
  expect(existsSync(work.path)).toBe(false);
});

/** Prints its folder, and stays. */
function startHolder(): ChildProcess {
  const entry = new URL('./work-folder.ts', import.meta.url).href;
  const script = `
    const { WorkFolder } = await import(${JSON.stringify(entry)});
    const work = await WorkFolder.open();
    await work.within(async (folder) => {
      process.stdout.write(work.path + '\\n');
      await new Promise(() => setInterval(() => undefined, 1000));
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { TMPDIR: process.env.TMPDIR },
  });
}

test('open removes the folders of killed processes, and leaves others alone', async () => {
  const holder = startHolder();
  let output = '';
  holder.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const path = await until('it has a folder', () => output.trim() || undefined);
  expect(path.startsWith(join(tmpdir(), `drydock-work-${holder.pid}-`))).toBe(true);
  const own = await openTestWork();
  await removeDeadWorkFolders();
  expect([existsSync(path), existsSync(own.path)]).toEqual([true, true]);

  const ended = new Promise((resolve) => holder.once('exit', resolve));
  holder.kill('SIGKILL');
  await ended;
  expect(existsSync(path)).toBe(true);
  expect(await removeDeadWorkFolders()).toBeGreaterThanOrEqual(1);
  expect([existsSync(path), existsSync(own.path)]).toEqual([false, true]);
});

test('a process that reuses the id of a dead one does not keep its folder', async () => {
  const own = await openTestWork();
  const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  expect(own.path).toContain(`-${process.pid}-${start}-`);
  const left = join(tmpdir(), `drydock-work-${process.pid}-1-abcdef`);
  mkdirSync(left);
  await removeDeadWorkFolders();
  expect([existsSync(left), existsSync(own.path)]).toEqual([false, true]);
});
