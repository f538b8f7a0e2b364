/**
 * Starts processes for a server, as a separate program: forking a process takes longer the more memory it has, and blocks it for that time.
 * It has no knowledge of its own: the server sends what to start with which files, and names its own files by their place in /proc. It ends
 * with the server, and with it all processes that must not outlive the two.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { findProcess } from '../../process-table.ts';
import { OUTER_ENVIRONMENT } from '../host-environment.ts';
import type { GivenFile, SpawnerNews, SpawnerRequest, StartRequest } from './spawner-messages.ts';

/** Maximum length of a report, since processes in a sandbox may get access to the pipe and write more. */
const MAX_REPORT_LENGTH = 4096;

interface Waiting {
  readonly report: Socket | undefined;
  readonly text: Writable;
}

/** Processes that were started and not yet released. */
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
  // The child is not reaped yet, so the process id is still its own.
  const found = child.pid === undefined ? undefined : findProcess(child.pid);
  if (!found) {
    child.once('error', (error) => refuse(request, error));
    return;
  }
  const { id, files, reportLines } = request;
  const getEnd = (kind: 'handed' | 'report' | 'text') => {
    const number = files.indexOf(kind);
    return number < 0 ? undefined : (child.stdio[number] as Socket);
  };
  send({ id, kind: 'started', pid: found.pid, start: found.start }, getEnd('handed'));
  child.once('exit', (code, signal) => {
    waiting.get(id)?.text.destroy();
    waiting.delete(id);
    send({ id, kind: 'ended', code, signal });
  });
  const [report, text] = [getEnd('report'), getEnd('text')];
  if (report) listen(report, id, reportLines);
  text?.on('error', () => undefined); // it need not be read
  if (!text) return;
  waiting.set(id, { report, text });
  if (request.release !== undefined) release(id, request.release);
}

function release(id: number, text: string): void {
  const found = waiting.get(id);
  if (!found) return;
  waiting.delete(id);
  found.text.end(text);
  found.report?.write('\n');
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

/**
 * The process waits for an acknowledgement of its report: it proves that this process was alive when everything was ready that ends the
 * process together with this one.
 */
function listen(report: Socket, id: number, lines: number): void {
  let text = '';
  report.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (text.split('\n').length > lines || text.length > MAX_REPORT_LENGTH)
      report.end('\n', () => report.destroy());
  });
  report.on('error', () => undefined);
  report.once('close', () => send({ id, kind: 'report', text }));
}

function refuse({ id }: StartRequest, error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException;
  send({ id, kind: 'refused', code, message });
}

/** Ignores a closed channel, since this process is about to end then. */
function send(news: SpawnerNews, socket?: Socket): void {
  process.send?.(news, socket, undefined, () => undefined);
}
