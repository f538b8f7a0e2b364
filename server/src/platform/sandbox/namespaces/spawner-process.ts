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
import { findProcess } from '../process-table.ts';
import { OUTER_ENVIRONMENT } from './host-environment.ts';
import type { GivenFile, SpawnerNews, SpawnerRequest, StartRequest } from './spawner-messages.ts';

/** Whoever is in a sandbox may get at what a command tells while it begins, and write more. */
const MOST_TOLD = 4096;

interface Waiting {
  readonly told: Socket | undefined;
  readonly text: Writable;
}

/** Started, and not yet released. */
const waiting = new Map<number, Waiting>();

process.on('message', (request: SpawnerRequest) => {
  if (request.kind === 'release') return release(request.id, request.text);
  try {
    start(request);
  } catch (error) {
    refuse(request, error);
  }
});
process.on('disconnect', () => process.exit());

function start(request: StartRequest): void {
  const child = launch(request);
  // Not reaped yet, so that the number is still its own.
  const found = child.pid === undefined ? undefined : findProcess(child.pid);
  if (!found) {
    child.once('error', (error) => refuse(request, error));
    return;
  }
  const { id, files, toldLines } = request;
  const getEnd = (kind: 'handed' | 'told' | 'text') => {
    const number = files.indexOf(kind);
    return number < 0 ? undefined : (child.stdio[number] as Socket);
  };
  tell({ id, kind: 'started', pid: found.pid, start: found.start }, getEnd('handed'));
  child.once('exit', (code, signal) => {
    waiting.get(id)?.text.destroy();
    waiting.delete(id);
    tell({ id, kind: 'ended', code, signal });
  });
  const [told, text] = [getEnd('told'), getEnd('text')];
  if (told) listen(told, id, toldLines);
  text?.on('error', () => undefined); // it need not be read
  if (!text) return;
  waiting.set(id, { told, text });
  if (request.release !== undefined) release(id, request.release);
}

function release(id: number, text: string): void {
  const found = waiting.get(id);
  if (!found) return;
  waiting.delete(id);
  found.text.end(text);
  found.told?.write('\n');
}

function launch({ argv, cwd, files, outlives }: StartRequest): ChildProcess {
  const [program = '', ...args] = argv;
  const opened: number[] = [];
  const open = (file: GivenFile) => {
    if (file === 'ignore') return file;
    if (typeof file === 'string') return 'pipe';
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

function refuse({ id }: StartRequest, error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  tell({ id, kind: 'refused', code, message });
}

/** When nobody is there to be told, this process is about to end. */
function tell(news: SpawnerNews, socket?: Socket): void {
  process.send?.(news, socket, undefined, () => undefined);
}
