/** A running sandbox, as operated by this process. */

import type { Duplex } from 'node:stream';
import { Mutex } from '../../admission/keyed-lock.ts';
import { ApiError } from '../../errors.ts';
import type { Cgroup } from '../cgroups/cgroups.ts';
import type { EgressProxy } from '../egress/proxy.ts';
import {
  findNamespace,
  findProcess,
  isAlive,
  listProcesses,
  type ProcessEntry,
  readResidentBytes,
  signal,
} from '../process-table.ts';
import type {
  Command,
  SandboxSpec,
  SandboxStats,
  TerminalProcess,
  TerminalSize,
} from '../sandbox-provider.ts';
import type { Entrance } from './entrance.ts';
import { hasEnded, type RunningCommand, runCommand } from './exec/command.ts';
import { toEnvironment } from './exec/command-environment.ts';
import type { CommandOutput } from './exec/command-output.ts';
import { type ExecPlace, type ExecTools, openExecProcess } from './exec/exec-process.ts';
import { SpareExec } from './exec/spare-exec.ts';
import { letPassersGoOn, type OpenedTerminal, openTerminal } from './exec/terminal.ts';
import type { StrayFiles } from './host-environment.ts';
import { Connector } from './ports/connector.ts';
import { toNamespacesWay } from './ports/connector-way.ts';
import { PortConnections } from './ports/port-connections.ts';
import { type SandboxRecord, writeRecord } from './record.ts';
import { continueBySignals, listInside, stopBySignals } from './stop.ts';

export const MAX_FILE_BYTES = 10 * 1024 ** 3;
const TICKS_PER_SECOND = 100;
const BEGIN_TIMEOUT_MS = 30_000;
/** Maximum number of concurrent commands; each one costs this process some open files, and the host a process outside of the sandbox. */
const MAX_COMMANDS = 256;
/** Maximum number of outputs held open by background processes; each one is an open file of this process, and the oldest are closed. */
const MAX_LEFT_OUTPUTS = 128;
/** Time that a pause waits for commands that are being started. */
const PAUSE_TIMEOUT_MS = 2_000;

export interface SandboxParts {
  readonly record: SandboxRecord;
  readonly entrance: Entrance;
  readonly cgroup: Cgroup | undefined;
  /** True when a cgroup can freeze all of it at once. */
  readonly canFreeze: boolean;
  readonly proxy: EgressProxy | undefined;
}

export type SandboxTools = ExecTools & { readonly strayFiles: StrayFiles };

export class RunningSandbox {
  private readonly parts: SandboxParts;
  private readonly tools: SandboxTools;
  private readonly commands = new Set<RunningCommand>();
  private readonly terminals = new Set<OpenedTerminal>();
  private readonly beginning = new Map<Promise<RunningCommand>, AbortController>();
  private readonly spare = new SpareExec(() => openExecProcess(this.tools, this.place));
  private readonly ports: PortConnections;
  private outputs: CommandOutput[] = [];
  private isPaused: boolean;
  private readonly mutex = new Mutex();

  constructor(tools: SandboxTools, parts: SandboxParts) {
    this.tools = tools;
    this.parts = parts;
    const way = toNamespacesWay({ ...tools, entrance: parts.entrance, uid: parts.record.uid });
    this.ports = new PortConnections(new Connector(way, tools.strayFiles));
    this.isPaused = parts.record.is_paused;
  }

  get id(): string {
    return this.parts.record.spec.id;
  }

  get diskGroup(): SandboxSpec['diskGroup'] {
    return this.parts.record.spec.diskGroup;
  }

  get diskId(): string {
    return this.parts.record.spec.diskId;
  }

  get state(): 'running' | 'paused' {
    return this.isPaused ? 'paused' : 'running';
  }

  get showsCapabilities(): boolean {
    return this.parts.record.shows_capabilities;
  }

  isAlive(): boolean {
    return this.parts.entrance.isOpen();
  }

  async exec(command: Command): Promise<RunningCommand> {
    if (this.isPaused) throw new ApiError('conflict_error', 'The sandbox is paused. Resume it first.');
    if (this.commands.size + this.beginning.size >= MAX_COMMANDS) {
      const detail = `In a sandbox run at most ${MAX_COMMANDS} commands at once. Wait until one has ended, or start them from one.`;
      throw new ApiError('conflict_error', detail);
    }
    const environment = toEnvironment(command.environment, this.parts.proxy !== undefined);
    const timeout = new AbortController();
    const late = setTimeout(() => timeout.abort(notBegun()), BEGIN_TIMEOUT_MS);
    const given = { ...command, environment };
    const beginning = runCommand(this.tools, this.place, given, this.spare, timeout.signal);
    this.beginning.set(beginning, timeout);
    const running = await beginning.finally(() => {
      clearTimeout(late);
      this.beginning.delete(beginning);
      this.expectCommand();
    });
    this.commands.add(running);
    void running.exit.finally(() => {
      this.commands.delete(running);
      this.boundOutputs(running);
    });
    return running;
  }

  async openTerminal(command: Command, size: TerminalSize): Promise<TerminalProcess> {
    const { programs } = this.tools;
    const run = (each: Command) => this.exec(each);
    const opened = await openTerminal({ programs, run, listProcesses: () => this.list() }, command, size);
    this.terminals.add(opened);
    void opened.exit.then(() => this.terminals.delete(opened));
    return opened;
  }

  /** Connects to this port of the sandbox's loopback interface. */
  async connect(port: number): Promise<Duplex> {
    if (this.isPaused) throw new ApiError('conflict_error', 'The sandbox is paused. Resume it first.');
    if (!this.isAlive()) throw hasEnded();
    return await this.ports.connect(port);
  }

  /** Prepares for a command that is likely to follow soon. */
  expectCommand(): void {
    if (!this.isPaused && this.isAlive()) this.spare.prepare();
  }

  private boundOutputs({ stdout, stderr }: RunningCommand): void {
    this.outputs = [...this.outputs.filter((output) => output.isOpen), stdout, stderr];
    for (const output of this.outputs.filter(({ isLeft }) => isLeft).slice(0, -MAX_LEFT_OUTPUTS))
      output.abandon();
  }

  /** Refuses new commands at once; commands that are being started come in first, and are paused with the rest. */
  pause(): Promise<void> {
    return this.mutex.run(async () => {
      if (this.isPaused) throw new ApiError('conflict_error', 'The sandbox is paused already.');
      this.isPaused = true;
      try {
        await this.untilBegun();
        await Promise.all([this.spare.drop(), this.ports.end()]);
        await this.stop();
        await this.write(true);
      } catch (error) {
        await this.proceed();
        this.isPaused = false;
        throw error;
      }
    });
  }

  resume(): Promise<void> {
    return this.mutex.run(async () => {
      if (!this.isPaused) throw new ApiError('conflict_error', 'The sandbox is not paused.');
      await this.write(false);
      await this.proceed();
      this.isPaused = false;
      this.expectCommand();
    });
  }

  /** Restores the recorded state: the previous process may have been killed in the middle of a pause. */
  async settle(): Promise<void> {
    if (this.isPaused) await this.stop();
    else await this.proceed();
  }

  async stats(): Promise<SandboxStats> {
    const { cgroup, entrance } = this.parts;
    const [found, waiting] = await Promise.all([cgroup?.stats(), this.spare.count()]);
    if (found?.memoryBytes !== undefined && found.cpuSeconds !== undefined) {
      const { processes, memoryBytes, cpuSeconds } = found;
      return { processes: processes - waiting, memoryBytes, cpuSeconds };
    }
    const entries = listInside(findNamespace(entrance.processes.first.pid, 'pid'));
    return {
      processes: entries.length,
      memoryBytes: entries.reduce((sum, entry) => sum + readResidentBytes(entry.pid), 0),
      cpuSeconds: entries.reduce((sum, entry) => sum + entry.cpuTicks / TICKS_PER_SECOND, 0),
    };
  }

  /** Lists at least all processes of the sandbox, as cheaply as possible. */
  private async list(): Promise<ProcessEntry[]> {
    const { cgroup } = this.parts;
    if (!cgroup?.procsFiles.length) return listProcesses();
    return (await cgroup.processes()).map(findProcess).filter((entry) => entry !== undefined);
  }

  /** Lists processes by their ids on the host. */
  listProcesses(): number[] {
    return listInside(findNamespace(this.parts.entrance.processes.first.pid, 'pid')).map(({ pid }) => pid);
  }

  /** Ends the commands of an ended sandbox, some of which may have been stopped while entering. */
  async finish(): Promise<void> {
    for (const timeout of this.beginning.values()) timeout.abort(hasEnded());
    await Promise.allSettled(this.beginning.keys());
    for (const pid of this.listWaiting()) signal(pid, 'SIGKILL');
    await Promise.all([...this.commands].map(({ exit }) => exit));
    await this.close();
  }

  /** Releases the resources of this process, not the sandbox. */
  async close(): Promise<void> {
    this.parts.entrance.close();
    await Promise.all([this.spare.drop(), this.ports.end()]);
    await this.parts.proxy?.close();
  }

  /** Waits a limited time: a sandbox that delays a command must not be able to delay the pause. */
  private async untilBegun(): Promise<void> {
    const late = setTimeout(() => {
      for (const timeout of this.beginning.values()) timeout.abort(notBegun());
    }, PAUSE_TIMEOUT_MS);
    await Promise.allSettled(this.beginning.keys());
    clearTimeout(late);
  }

  private async stop(): Promise<void> {
    const { cgroup, canFreeze, entrance } = this.parts;
    if (cgroup && canFreeze) return await cgroup.freeze();
    await stopBySignals(entrance.processes.first.pid);
  }

  private async proceed(): Promise<void> {
    const { cgroup, canFreeze, entrance } = this.parts;
    if (cgroup && canFreeze) return await cgroup.thaw();
    continueBySignals(entrance.processes.first.pid);
    const passers = [...this.terminals].map(({ passer }) => passer);
    await letPassersGoOn(passers.filter((passer) => passer !== undefined));
  }

  /** Lists processes of the host that wait for a command inside. */
  listWaiting(): number[] {
    return [...this.commands].filter(isAlive).map(({ pid }) => pid);
  }

  private get place(): ExecPlace {
    const { record, entrance, cgroup } = this.parts;
    return { entrance, uid: record.uid, procsFiles: cgroup?.procsFiles ?? [], fileBytes: MAX_FILE_BYTES };
  }

  private async write(isPaused: boolean): Promise<void> {
    const { record } = this.parts;
    await writeRecord(this.tools.layout.record(record.spec.id), { ...record, is_paused: isPaused });
  }
}

const notBegun = () =>
  new ApiError(
    'conflict_error',
    'The command did not begin in time: something in the sandbox blocks it, or the host is overloaded. Try again.',
  );
