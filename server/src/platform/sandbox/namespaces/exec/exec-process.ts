/** A process that has entered a sandbox and waits there until its command is known. */
import { closeSync, constants } from 'node:fs';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { isAlive, signal } from '../../process-table.ts';
import type { Entrance } from '../entrance.ts';
import type { Layout } from '../layout.ts';
import type { Programs } from '../programs.ts';
import type { Spawner } from '../spawner/spawner.ts';
import type { StartedProcess } from '../spawner/spawner-connection.ts';
import type { GivenFile } from '../spawner/spawner-messages.ts';
import { type CommandUser, toCommandLine } from './command-line.ts';
import type { Pipe, Pipes } from './pipes.ts';

export interface ExecTools {
  readonly programs: Programs;
  readonly layout: Layout;
  readonly spawner: Spawner;
  readonly pipes: Pipes;
}

export interface ExecPlace extends CommandUser {
  readonly entrance: Entrance;
}

/** @param release the command's options, when they are known already */
export async function openExecProcess(
  tools: ExecTools,
  place: ExecPlace,
  release?: string,
): Promise<ExecProcess> {
  const pipes = await tools.pipes.takeTwo();
  try {
    return new ExecProcess(
      await startExecProcess(tools, place, pipes, release),
      pipes,
      release !== undefined,
    );
  } catch (error) {
    for (const { source } of pipes) source.destroy();
    throw error;
  }
}

export class ExecProcess {
  readonly started: StartedProcess;
  readonly stdin: Writable;
  readonly stdout: Socket;
  readonly stderr: Socket;

  constructor(started: StartedProcess, [stdout, stderr]: readonly [Pipe, Pipe], isReleased: boolean) {
    this.started = started;
    this.stdin = started.handed ?? nobodyReads();
    this.stdout = stdout.source;
    this.stderr = stderr.source;
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => undefined); // may end before it is used
    // A waiting process does not keep this one alive.
    if (!isReleased) for (const socket of this.#sockets) socket.unref();
  }

  /** @returns false when the process could not be reached, so that nothing will run */
  release(options: string): Promise<boolean> {
    for (const socket of this.#sockets) socket.ref();
    return this.started.release(options);
  }

  isOpen(): boolean {
    return isAlive(this.started);
  }

  /** Ends a process that was never given a command. It has ended when this resolves. */
  async close(): Promise<void> {
    if (this.isOpen()) signal(this.started.pid, 'SIGKILL');
    void this.started.release(''); // discards the input, and keeps this process alive until the end is known
    await this.started.ended;
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
  }

  get #sockets(): Socket[] {
    return [this.started.handed, this.stdout, this.stderr].filter((socket) => socket !== undefined);
  }
}

async function startExecProcess(
  { programs, layout, spawner }: ExecTools,
  place: ExecPlace,
  [stdout, stderr]: readonly [Pipe, Pipe],
  release: string | undefined,
): Promise<StartedProcess> {
  const opened = [stdout.given, stderr.given];
  try {
    const [user = -1, livingUser = -1, ...others] = place.entrance.openNamespaces();
    opened.push(user, livingUser, ...others);
    const files: GivenFile[] = [
      'handed',
      toGiven(stdout.given, constants.O_WRONLY),
      toGiven(stderr.given, constants.O_WRONLY),
      'report',
      ...[livingUser, ...others, user].map((number) => toGiven(number, constants.O_RDONLY)),
      'text',
      { open: layout.filter, flags: constants.O_RDONLY },
    ];
    const plan = { argv: toCommandLine(programs, place), cwd: '/', files, reportLines: 1, outlives: false };
    return await spawner.start(release === undefined ? plan : { ...plan, release });
  } finally {
    for (const number of opened) closeSync(number);
  }
}

/** Replaces the input of a command that ended before its own could be passed. */
const nobodyReads = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Returns an open file of this process, as found by the spawner while it is open. */
const toGiven = (number: number, flags: number) => ({ open: `/proc/${process.pid}/fd/${number}`, flags });
