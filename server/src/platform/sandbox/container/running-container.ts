/** A running sandbox, as operated by this process. */

import type { Duplex } from 'node:stream';
import { Mutex } from '../../admission/keyed-lock.ts';
import { ApiError } from '../../errors.ts';
import type { EgressProxy } from '../egress/proxy.ts';
import { toEnvironment } from '../namespaces/exec/command-environment.ts';
import { PortConnections, type PortOpener } from '../namespaces/ports/port-connections.ts';
import { listInside } from '../namespaces/stop.ts';
import { findNamespace } from '../process-table.ts';
import type { Command, Execution, SandboxStats, TerminalProcess, TerminalSize } from '../sandbox-provider.ts';
import { END_ALL } from './commands/command-scripts.ts';
import { type CommandPlace, hasEnded, runCommand, runScript } from './commands/container-command.ts';
import { connectTo } from './commands/container-connection.ts';
import { openTerminal } from './commands/container-terminal.ts';
import { JoinedNetwork, type Joining } from './commands/joined-network.ts';
import type { Engine } from './engine/engine.ts';

const BEGIN_TIMEOUT_MS = 30_000;
/** Maximum number of concurrent commands; each one costs this process a connection, and the engine more. */
const MAX_COMMANDS = 256;
/** Time that a pause waits for commands that are being started. */
const PAUSE_TIMEOUT_MS = 2_000;
const SWEEP_TIMEOUT_MS = 10_000;
const NANOSECONDS = 1e9;

export interface ContainerParts {
  readonly engine: Engine;
  readonly id: string;
  readonly diskId: string;
  /** Container id of the engine. */
  readonly container: string;
  /** Environment set by the image. */
  readonly environment: Readonly<Record<string, string>>;
  readonly proxy: EgressProxy | undefined;
  readonly isPaused: boolean;
  /** Set when a process of ours can join the network; otherwise programs in the container make the connections. */
  readonly joining: Joining | undefined;
}

export class RunningContainer {
  readonly id: string;
  readonly diskId: string;
  private readonly parts: ContainerParts;
  private readonly running = new Set<Promise<unknown>>();
  private readonly beginning = new Map<Promise<unknown>, AbortController>();
  private isPaused: boolean;
  private readonly ports: PortConnections;
  private hasLeftCommands = false;
  private hasRelay = false;
  /** Process 1, as numbered by the engine's machine. */
  private first: number | undefined;
  private readonly mutex = new Mutex();

  constructor(parts: ContainerParts) {
    this.parts = parts;
    this.id = parts.id;
    this.diskId = parts.diskId;
    this.isPaused = parts.isPaused;
    const { engine, container, joining } = parts;
    this.ports = new PortConnections(joining ? new JoinedNetwork(engine, container, joining) : this.inside);
  }

  get container(): string {
    return this.parts.container;
  }

  get state(): 'running' | 'paused' {
    return this.isPaused ? 'paused' : 'running';
  }

  async exec(command: Command): Promise<Execution> {
    const given = this.complete(command);
    return await this.begin(
      (startup) => runCommand(this.place, given, startup),
      ({ exit }) => exit,
    );
  }

  async openTerminal(command: Command, size: TerminalSize): Promise<TerminalProcess> {
    const given = this.complete(command);
    const opened = await this.begin(
      (startup) => openTerminal(this.place, given, size, startup),
      ({ exit }) => exit,
    );
    const resize = async (wanted: TerminalSize) => {
      if (this.isPaused) throw isPaused();
      await opened.resize(wanted);
    };
    return { ...opened, resize };
  }

  async connect(port: number): Promise<Duplex> {
    if (this.isPaused) throw isPaused();
    return await this.ports.connect(port);
  }

  /** Opens connections through programs in the container, which end with it. */
  private get inside(): PortOpener {
    const connect = (port: number) =>
      this.begin(
        (startup) => connectTo(this.place, port, startup),
        ({ released }) => released,
      );
    return { connect, close: async () => undefined };
  }

  /** Refuses new commands at once; commands that are being started come in first, and are paused with the rest. */
  pause(): Promise<void> {
    return this.mutex.run(async () => {
      if (this.isPaused) throw new ApiError('conflict_error', 'The sandbox is paused already.');
      this.isPaused = true;
      try {
        await this.untilBegun();
        await this.ports.end();
        await this.parts.engine.call((docker, abortSignal) => {
          return docker.getContainer(this.container).pause({ abortSignal });
        });
      } catch (error) {
        this.isPaused = false;
        throw error;
      }
    });
  }

  resume(): Promise<void> {
    return this.mutex.run(async () => {
      if (!this.isPaused) throw new ApiError('conflict_error', 'The sandbox is not paused.');
      await this.parts.engine.call((docker, abortSignal) => {
        return docker.getContainer(this.container).unpause({ abortSignal });
      });
      if (this.hasLeftCommands) await this.endAll().catch(() => undefined);
      this.hasLeftCommands = false;
      this.isPaused = false;
    });
  }

  async stats(): Promise<SandboxStats> {
    const found = await this.parts.engine.call((docker, abortSignal) => {
      const options = { stream: false, 'one-shot': true, abortSignal } as const;
      return docker.getContainer(this.container).stats(options as { stream: false });
    });
    const ticks = found.cpu_stats?.cpu_usage?.total_usage;
    return {
      processes: found.pids_stats?.current ?? 0,
      memoryBytes: found.memory_stats?.usage,
      cpuSeconds: ticks === undefined ? undefined : ticks / NANOSECONDS,
    };
  }

  /** Lists process ids as numbered by this machine, when the engine runs on it. */
  async listProcesses(): Promise<number[]> {
    this.first ??= await this.parts.engine.call(async (docker, abortSignal) => {
      return (await docker.getContainer(this.container).inspect({ abortSignal })).State.Pid;
    });
    return listInside(findNamespace(this.first, 'pid')).map(({ pid }) => pid);
  }

  /** Ends foreground commands of a process that is gone. */
  async endLeftCommands(): Promise<void> {
    // Deferred until the resume: nothing can be run in a paused sandbox.
    if (this.isPaused) this.hasLeftCommands = true;
    else await this.endAll();
  }

  private async endAll(): Promise<void> {
    await runScript(this.parts.engine, this.container, END_ALL, [], SWEEP_TIMEOUT_MS);
  }

  /** Ends the commands of an ended sandbox. */
  async finish(): Promise<void> {
    for (const startup of this.beginning.values()) startup.abort(hasEnded());
    await Promise.allSettled(this.beginning.keys());
    await this.ports.end();
    await Promise.allSettled(this.running);
    await this.close();
  }

  /** Releases the resources of this process, not the sandbox. */
  async close(): Promise<void> {
    await this.ports.end();
    await this.parts.proxy?.close();
  }

  /** Adds the environment of the image to that of the command, which takes precedence. */
  private complete(command: Command): Command {
    const { proxy, environment } = this.parts;
    const given = { ...environment, ...command.environment };
    return { ...command, environment: toEnvironment(given, proxy !== undefined) };
  }

  private async begin<T>(
    start: (startup: AbortSignal) => Promise<T>,
    toEnd: (begun: T) => Promise<unknown>,
  ): Promise<T> {
    if (this.isPaused) throw isPaused();
    if (this.running.size + this.beginning.size >= MAX_COMMANDS) {
      const detail = `In a sandbox run at most ${MAX_COMMANDS} commands at once. Wait until one has ended, or start them from one.`;
      throw new ApiError('conflict_error', detail);
    }
    const startup = new AbortController();
    const late = setTimeout(() => startup.abort(notBegun()), BEGIN_TIMEOUT_MS);
    const beginning = start(startup.signal);
    this.beginning.set(beginning, startup);
    const begun = await beginning.finally(() => {
      clearTimeout(late);
      this.beginning.delete(beginning);
    });
    this.hasRelay = true;
    const end = toEnd(begun);
    this.running.add(end);
    void end.finally(() => this.running.delete(end));
    return begun;
  }

  /** Waits a limited time: a sandbox that delays a command must not be able to delay the pause. */
  private async untilBegun(): Promise<void> {
    const late = setTimeout(() => {
      for (const startup of this.beginning.values()) startup.abort(notBegun());
    }, PAUSE_TIMEOUT_MS);
    await Promise.allSettled(this.beginning.keys());
    clearTimeout(late);
  }

  private get place(): CommandPlace {
    const { engine, proxy } = this.parts;
    return { engine, container: this.container, awaitsRelay: proxy !== undefined && !this.hasRelay };
  }
}

const isPaused = () => new ApiError('conflict_error', 'The sandbox is paused. Resume it first.');

const notBegun = () =>
  new ApiError(
    'conflict_error',
    'The command did not begin in time: something in the sandbox blocks it, or the host is overloaded. Try again.',
  );
