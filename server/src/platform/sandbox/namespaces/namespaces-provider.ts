/**
 * Sandboxes made of the kernel's namespaces: no daemon, and no state only in memory. Files record what each sandbox consists of; the other
 * files of this folder implement it.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { KeyedLock } from '../../admission/keyed-lock.ts';
import { ApiError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type DiskBounds, type DiskGuard, openDiskGuard } from '../disk-guard.ts';
import { measureDisk } from '../disk-use.ts';
import type { Network } from '../egress/decision.ts';
import type {
  CapabilityFolder,
  Command,
  Execution,
  ProviderReport,
  SandboxEvents,
  SandboxProvider,
  SandboxSpec,
  SandboxState,
  SandboxStats,
  TerminalProcess,
  TerminalSize,
} from '../sandbox-provider.ts';
import { EndWatch } from './end-watch.ts';
import { CapabilitySetting } from './files/capability-setting.ts';
import { CapabilityStore } from './files/capability-store.ts';
import { type HostToolkit, openHostToolkit } from './host-toolkit.ts';
import { endSandbox, findSandbox, forgetSandbox, makeSandbox } from './making.ts';
import type { RunningSandbox } from './running-sandbox.ts';

export interface NamespacesOptions {
  /** Folder for disks and the records of sandboxes. */
  readonly folder: string;
  readonly log: Log;
  readonly events: SandboxEvents;
  /** Network that sandboxes reach; the system's by default. */
  readonly network?: Partial<Network>;
  /** Limits of disks, and the reserve of the file system. */
  readonly diskBounds?: Partial<DiskBounds>;
}

const NAME = 'namespaces';
/** A file announces the end of a sandbox; this regular check finds the end when the process that writes the file was killed. */
const POLL_INTERVAL_MS = 2_000;

export function createNamespacesProvider(options: NamespacesOptions): SandboxProvider {
  return new NamespacesProvider(options);
}

interface Opened {
  readonly toolkit: HostToolkit;
  readonly ends: EndWatch;
  readonly guard: DiskGuard;
  readonly pollTimer: NodeJS.Timeout;
}

class NamespacesProvider implements SandboxProvider {
  readonly name = NAME;
  private readonly options: NamespacesOptions;
  private readonly living = new Map<string, RunningSandbox>();
  private readonly lock = new KeyedLock();
  private readonly setting = new CapabilitySetting();
  private opened: Promise<Opened> | undefined;

  constructor(options: NamespacesOptions) {
    this.options = options;
  }

  async probe(): Promise<ProviderReport> {
    const report = { name: NAME, isolation: 'process' } as const;
    try {
      const { limits } = (await this.open()).toolkit;
      const preserves = ['disk', 'memory', 'processes'] as const;
      return { ...report, available: true, supportsPause: true, preserves, limits };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const reason = error.message;
      return { ...report, available: false, reason, supportsPause: false, preserves: [], limits: [] };
    }
  }

  async start(spec: SandboxSpec): Promise<void> {
    checkId(spec.id);
    checkId(spec.diskId);
    const { toolkit, guard } = await this.open();
    toolkit.cgroups.keepReady();
    toolkit.spawner.prepare();
    const shortage = await guard.findShortage();
    if (shortage) throw new ApiError('sandbox_provider_error', shortage);
    await this.lock.run(spec.id, async () => {
      await toolkit.layout.makeRun(spec.id).catch((cause: unknown) => {
        throw new ApiError('conflict_error', `The sandbox ${spec.id} exists already.`, { cause });
      });
      try {
        const isNew = !existsSync(toolkit.layout.disk(spec.diskId));
        await this.keep(await makeSandbox(toolkit, spec, this.options.events), isNew);
      } catch (error) {
        await this.remove(spec.id);
        throw error;
      }
    });
  }

  async adopt(id: string): Promise<SandboxState> {
    checkId(id);
    const { toolkit, ends } = await this.open();
    return await this.lock.run(id, async () => {
      const known = this.living.get(id);
      if (known) return { state: known.state };
      const sandbox = await findSandbox(toolkit, id, this.options.events);
      if (sandbox) {
        await this.keep(sandbox, false);
        return { state: sandbox.state };
      }
      const endedAt = ends.find(id);
      await this.remove(id);
      return { state: 'gone', endedAt };
    });
  }

  async inspect(id: string): Promise<SandboxState> {
    const { ends } = await this.open();
    const sandbox = this.living.get(id);
    return sandbox?.isAlive() ? { state: sandbox.state } : { state: 'gone', endedAt: ends.find(id) };
  }

  async exec(id: string, command: Command): Promise<Execution> {
    const { toolkit } = await this.open();
    toolkit.cgroups.keepReady();
    return await this.get(id).exec(command);
  }

  async openTerminal(id: string, command: Command, size: TerminalSize): Promise<TerminalProcess> {
    await this.open();
    return await this.get(id).openTerminal(command, size);
  }

  async setCapabilities(id: string, folders: readonly CapabilityFolder[], bindings: string): Promise<void> {
    const { toolkit, guard } = await this.open();
    const { diskId, showsCapabilities } = this.get(id);
    if (!showsCapabilities) {
      const detail = 'The sandbox was started by an older server, and shows none. End it and start it again.';
      throw new ApiError('conflict_error', detail);
    }
    const requireRoom = async () => {
      const shortage = await guard.findShortage();
      if (shortage) throw new ApiError('sandbox_provider_error', shortage);
    };
    const store = new CapabilityStore(toolkit.layout.disk(diskId));
    await this.setting.take(id, (signal) => {
      this.get(id); // it may have ended while waiting for the lock
      return store.set(folders, bindings, requireRoom, signal);
    });
  }

  async connect(id: string, port: number): Promise<Duplex> {
    return await this.get(id).connect(port);
  }

  async pause(id: string): Promise<void> {
    await this.get(id).pause();
  }

  async resume(id: string): Promise<void> {
    await this.get(id).resume();
  }

  async kill(id: string): Promise<void> {
    checkId(id);
    await this.open();
    await this.lock.run(id, () => this.remove(id));
  }

  async stats(id: string): Promise<SandboxStats> {
    return await this.get(id).stats();
  }

  async list(): Promise<string[]> {
    const { layout, cgroups } = (await this.open()).toolkit;
    const ids = await Promise.all([readdir(layout.runs), readdir(layout.ends), cgroups.list()]);
    return [...new Set(ids.flat())];
  }

  async removeDisk(diskId: string): Promise<void> {
    checkId(diskId);
    const { disks } = (await this.open()).toolkit;
    await disks.remove(diskId);
  }

  async keepOnlyWorkspace(diskId: string): Promise<void> {
    checkId(diskId);
    const { disks } = (await this.open()).toolkit;
    await disks.keepOnlyWorkspace(diskId);
  }

  async measureDisk(diskId: string): Promise<number> {
    checkId(diskId);
    const { layout } = (await this.open()).toolkit;
    return (await measureDisk([layout.disk(diskId)], [])).bytes;
  }

  async listDisks(): Promise<string[]> {
    const { disks } = (await this.open()).toolkit;
    return await disks.list();
  }

  async close(): Promise<void> {
    const opened = await this.opened?.catch(() => undefined);
    if (!opened) return;
    clearInterval(opened.pollTimer);
    opened.ends.close();
    await this.setting.endAll();
    await opened.guard.close();
    await Promise.all([...this.living.values()].map((sandbox) => sandbox.close()));
    this.living.clear();
    await opened.toolkit.spawner.close();
    await opened.toolkit.pipes.close();
    await opened.toolkit.disks.close();
    await opened.toolkit.cgroups.close();
  }

  private open(): Promise<Opened> {
    this.opened ??= this.openOnce();
    return this.opened;
  }

  private async openOnce(): Promise<Opened> {
    const toolkit = await openHostToolkit(this.options.folder, this.options.network);
    return {
      toolkit,
      ends: new EndWatch(toolkit.layout.ends, (id) => void this.notice(id)),
      guard: openDiskGuard({
        folder: toolkit.layout.disks,
        bounds: this.options.diskBounds ?? {},
        end: (id, reason) => this.notice(id, reason),
      }),
      pollTimer: setInterval(() => this.inspectAll(), POLL_INTERVAL_MS).unref(),
    };
  }

  private get(id: string): RunningSandbox {
    const sandbox = this.living.get(id);
    if (!sandbox) throw new ApiError('conflict_error', `The sandbox ${id} is not running on this host.`);
    return sandbox;
  }

  private async keep(sandbox: RunningSandbox, isNew: boolean): Promise<void> {
    const { toolkit, guard } = await this.open();
    const folders = [toolkit.layout.disk(sandbox.diskId)];
    this.living.set(sandbox.id, sandbox);
    guard.add({
      id: sandbox.id,
      group: sandbox.diskGroup,
      isNew,
      folders,
      processes: async () => sandbox.listProcesses(),
    });
  }

  private inspectAll(): void {
    for (const [id, sandbox] of this.living) if (!sandbox.isAlive()) void this.notice(id);
  }

  /** Handles a sandbox that seems to have ended by itself, or that, given a reason, has to end now. */
  private async notice(id: string, reason?: string): Promise<void> {
    const { toolkit, ends } = await this.open();
    await this.lock.run(id, async () => {
      const sandbox = this.living.get(id);
      if (!sandbox || (reason === undefined && sandbox.isAlive())) return;
      try {
        await endSandbox(toolkit, id, sandbox);
        await this.options.events.ended(id, ends.find(id) ?? new Date(), reason);
        await this.remove(id);
      } catch (error) {
        this.options.log.error(
          { err: error, sandbox_id: id },
          'The end of a sandbox could not be recorded yet',
        );
      }
    });
  }

  private async remove(id: string): Promise<void> {
    const { toolkit, guard } = await this.open();
    guard.remove(id);
    await endSandbox(toolkit, id, this.living.get(id));
    this.living.delete(id);
    await this.setting.end(id);
    await forgetSandbox(toolkit, id);
  }
}

/** Ids become names of files and control groups. */
function checkId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id)) throw new Error('not a valid id of a sandbox or a disk');
}
