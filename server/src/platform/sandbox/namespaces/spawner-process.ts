/**
 * Starts processes for a server, as a program of its own: to start one from a process takes the longer the more memory that
 * has, and stops it meanwhile.
 *
 * It knows nothing: the server says what to start with which files, and names its own by their place in /proc. It ends with
 * the server, and with it what must not outlive the two.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { OUTER_ENVIRONMENT } from './host-environment.ts';
import { findProcess } from './process-table.ts';
import type { GivenFile, SpawnerNews, SpawnRequest } from './spawner-messages.ts';

/** Whoever is in a sandbox may get at what a command tells while it begins, and write more. */
const MOST_TOLD = 4096;

process.on('message', (request: SpawnRequest) => {
  try {
    start(request);
  } catch (error) {
    refuse(request, error);
  }
});
process.on('disconnect', () => process.exit());

function start(request: SpawnRequest): void {
  const child = launch(request);
  // Not reaped yet, so that the number is still its own.
  const found = child.pid === undefined ? undefined : findProcess(child.pid);
  if (!found) {
    child.once('error', (error) => refuse(request, error));
    return;
  }
  const { id, files, toldLines } = request;
  const handed = files.indexOf('handed');
  const socket = handed < 0 ? undefined : (child.stdio[handed] as Socket);
  tell({ id, kind: 'started', pid: found.pid, start: found.start }, socket);
  child.once('exit', (code, signal) => tell({ id, kind: 'ended', code, signal }));
  for (const [number, file] of files.entries()) {
    if (file === 'told') listen(child.stdio[number] as Socket, id, toldLines);
    else if (typeof file === 'object' && 'text' in file) feed(child.stdio[number] as Writable, file.text);
  }
}

function launch({ argv, cwd, files, outlives }: SpawnRequest): ChildProcess {
  const [program = '', ...args] = argv;
  const opened: number[] = [];
  const open = (file: GivenFile) => {
    if (file === 'ignore') return file;
    if (typeof file === 'string' || 'text' in file) return 'pipe';
    const number = openSync(file.open, file.flags, file.mode);
    opened.push(number);
    return number;
  };
  try {
    return spawn(program, args, { cwd, env: OUTER_ENVIRONMENT, stdio: files.map(open), detached: outlives });
  } finally {
    for (const number of opened) closeSync(number);
  }
}

/** Whoever told may wait to hear that it was heard: then this process lived when all was ready that ends it with this one. */
function listen(told: Socket, id: number, lines: number): void {
  let text = '';
  told.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (text.split('\n').length > lines || text.length > MOST_TOLD) told.end('\n', () => told.destroy());
  });
  told.on('error', () => undefined);
  told.once('close', () => tell({ id, kind: 'told', text }));
}

function feed(file: Writable, text: string): void {
  file.on('error', () => undefined); // it need not be read
  file.end(text);
}

function refuse({ id }: SpawnRequest, error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  tell({ id, kind: 'refused', code, message });
}

/** When nobody is there to be told, this process is about to end. */
function tell(news: SpawnerNews, socket?: Socket): void {
  process.send?.(news, socket, undefined, () => undefined);
}
