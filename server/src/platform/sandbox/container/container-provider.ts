/**
 * Sandboxes as containers of a Docker or Podman engine. No state is only in memory: labels record ownership, and the engine knows what
 * runs.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { KeyedLock } from '../../admission/keyed-lock.ts';
import { ApiError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type DiskBounds, type DiskGuard, openDiskGuard } from '../disk-guard.ts';
import { measureDisk } from '../disk-use.ts';
import type { Network } from '../egress/decision.ts';
import { CapabilitySetting } from '../namespaces/files/capability-setting.ts';
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
import { showCapabilities } from './capabilities/capability-volume.ts';
import { hasEnded } from './commands/container-command.ts';
import {
  endContainer,
  findContainer,
  inspectContainer,
  killContainer,
  makeContainer,
} from './container-making.ts';
import { keepWorkspaceVolume, listContainers, listVolumes, removeDiskVolumes } from './container-parts.ts';
import { type ContainerSettings, type ContainerToolkit, openContainerToolkit } from './container-toolkit.ts';
import { EngineWatch } from './engine/engine-watch.ts';
import { LABEL, TRIAL } from './ownership.ts';
import type { RunningContainer } from './running-container.ts';

export interface ContainerOptions {
  /** Folder for host data and the sockets of proxies. */
  readonly folder: string;
  readonly settings: ContainerSettings;
  readonly log: Log;
  readonly events: SandboxEvents;
  /** Network that sandboxes reach; the system's by default. */
  readonly network?: Partial<Network>;
  /** Limits of disks, and the reserve of the file system. */
  readonly diskBounds?: Partial<DiskBounds>;
}

const NAME = 'container';

export function createContainerProvider(options: ContainerOptions): SandboxProvider {
  return new ContainerProvider(options);
}

interface Opened {
  readonly toolkit: ContainerToolkit;
  readonly watch: EngineWatch;
  /** Undefined when this process cannot see the engine's volumes. */
  readonly guard: DiskGuard | undefined;
}

class ContainerProvider implements SandboxProvider {
  readonly name = NAME;
  private readonly options: ContainerOptions;
  private readonly living = new Map<string, RunningContainer>();
  private readonly lock = new KeyedLock();
  private readonly setting = new CapabilitySetting();
  private opened: Promise<Opened> | undefined;

  constructor(options: ContainerOptions) {
    this.options = options;
  }

  async probe(): Promise<ProviderReport> {
    const report = { name: NAME, isolation: 'container' } as const;
    try {
      const { limits, canPause } = (await this.open()).toolkit;
      const preserves = canPause ? (['disk', 'memory', 'processes'] as const) : (['disk'] as const);
      return { ...report, available: true, supportsPause: canPause, preserves, limits };
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
    const shortage = await guard?.findShortage();
    if (shortage) throw new ApiError('sandbox_provider_error', shortage);
    await this.lock.run(spec.id, async () => {
      await this.keep(await makeContainer(toolkit, spec, this.options.events));
    });
  }

  async adopt(id: string): Promise<SandboxState> {
    checkId(id);
    const { toolkit } = await this.open();
    return await this.lock.run(id, async () => {
      const known = this.living.get(id) ?? (await this.takeUp(id));
      if (known) return { state: known.state };
      const inspected = await inspectContainer(toolkit, id);
      await this.remove(id);
      return inspected;
    });
  }

  async inspect(id: string): Promise<SandboxState> {
    const { toolkit } = await this.open();
    return await inspectContainer(toolkit, id);
  }

  async exec(id: string, command: Command): Promise<Execution> {
    return await (await this.get(id)).exec(command);
  }

  async openTerminal(id: string, command: Command, size: TerminalSize): Promise<TerminalProcess> {
    return await (await this.get(id)).openTerminal(command, size);
  }

  async connect(id: string, port: number): Promise<Duplex> {
    const { noConnections } = (await this.open()).toolkit;
    if (noConnections !== undefined) throw new ApiError('sandbox_provider_error', noConnections);
    return await (await this.get(id)).connect(port);
  }

  async setCapabilities(id: string, folders: readonly CapabilityFolder[], bindings: string): Promise<void> {
    const { toolkit } = await this.open();
    const sandbox = await this.get(id);
    await this.setting.take(id, async (signal) => {
      if (this.living.get(id) !== sandbox) throw hasEnded();
      await showCapabilities(toolkit, sandbox, folders, bindings, signal);
    });
  }

  async pause(id: string): Promise<void> {
    await (await this.get(id)).pause();
  }

  async resume(id: string): Promise<void> {
    await (await this.get(id)).resume();
  }

  async kill(id: string): Promise<void> {
    checkId(id);
    await this.open();
    await this.lock.run(id, () => this.remove(id));
  }

  async stats(id: string): Promise<SandboxStats> {
    return await (await this.get(id)).stats();
  }

  async list(): Promise<string[]> {
    if (!this.isConfigured) return [];
    const { engine, ownership, egressFolders } = (await this.open()).toolkit;
    const containers = await listContainers(engine, ownership);
    const ids = [...containers.map(({ Labels }) => Labels[LABEL.sandbox]), ...(await readdir(egressFolders))];
    return [...new Set(ids.filter((id) => id !== undefined && !id.startsWith(TRIAL)))] as string[];
  }

  async removeDisk(diskId: string): Promise<void> {
    checkId(diskId);
    if (!this.isConfigured) return;
    const { engine, ownership } = (await this.open()).toolkit;
    await removeDiskVolumes(engine, ownership, diskId);
  }

  async keepOnlyWorkspace(diskId: string): Promise<void> {
    checkId(diskId);
    const { engine, ownership } = (await this.open()).toolkit;
    await keepWorkspaceVolume(engine, ownership, diskId);
  }

  async measureDisk(diskId: string): Promise<number> {
    if (!this.isConfigured) return 0;
    const { ownership, volumes } = (await this.open()).toolkit;
    if (volumes === undefined) return 0;
    const folders = ownership.diskVolumes(diskId).map(({ name }) => join(volumes, name));
    return (await measureDisk(folders, [])).bytes;
  }

  async listDisks(): Promise<string[]> {
    if (!this.isConfigured) return [];
    const { engine, ownership } = (await this.open()).toolkit;
    const ids = (await listVolumes(engine, ownership)).map((name) => ownership.findDiskId(name));
    return [...new Set(ids.filter((id) => id !== undefined && !id.startsWith(TRIAL)))] as string[];
  }

  async close(): Promise<void> {
    const opened = await this.opened?.catch(() => undefined);
    if (!opened) return;
    opened.watch.close();
    await this.setting.endAll();
    await opened.guard?.close();
    await Promise.all([...this.living.values()].map((sandbox) => sandbox.close()));
    this.living.clear();
    opened.toolkit.engine.close();
  }

  private get isConfigured(): boolean {
    return this.options.settings.image !== undefined;
  }

  /** A failed connection to the engine is retried on the next request. */
  private open(): Promise<Opened> {
    if (!this.opened) {
      const opening = this.openOnce();
      this.opened = opening;
      opening.catch(() => {
        if (this.opened === opening) this.opened = undefined;
      });
    }
    return this.opened;
  }

  private async openOnce(): Promise<Opened> {
    const { folder, settings, network, diskBounds } = this.options;
    const toolkit = await openContainerToolkit(folder, settings, network);
    const { engine, ownership, volumes } = toolkit;
    const watch = new EngineWatch({
      engine,
      ownership,
      ended: (id) => void this.notice(id),
      inspect: () => this.inspectAll(),
    });
    const guard =
      volumes === undefined
        ? undefined
        : openDiskGuard({
            folder: volumes,
            bounds: diskBounds ?? {},
            end: (id, reason) => this.notice(id, reason),
          });
    return { toolkit, watch, guard };
  }

  /** Returns a running sandbox, including one that could not be taken over at startup because the engine was unavailable. */
  private async get(id: string): Promise<RunningContainer> {
    await this.open();
    const known = this.living.get(id) ?? (await this.lock.run(id, () => this.takeUp(id)));
    if (!known) throw new ApiError('conflict_error', `The sandbox ${id} is not running on this host.`);
    return known;
  }

  private async takeUp(id: string): Promise<RunningContainer | undefined> {
    const known = this.living.get(id);
    if (known) return known;
    const { toolkit } = await this.open();
    const found = await findContainer(toolkit, id, this.options.events);
    if (found) await this.keep(found);
    return found;
  }

  private async keep(sandbox: RunningContainer): Promise<void> {
    const { toolkit, guard } = await this.open();
    const { ownership, volumes } = toolkit;
    this.living.set(sandbox.id, sandbox);
    if (!guard || volumes === undefined) return;
    const folders = ownership.diskVolumes(sandbox.diskId).map(({ name }) => join(volumes, name));
    guard.add({ id: sandbox.id, isNew: false, folders, processes: () => sandbox.listProcesses() });
  }

  private async inspectAll(): Promise<void> {
    if (this.living.size === 0) return;
    const { engine, ownership } = (await this.open()).toolkit;
    const known = [...this.living.keys()];
    const containers = await listContainers(engine, ownership);
    const alive = new Set(
      containers.filter(({ State }) => LIVING_STATES.has(State)).map(({ Labels }) => Labels[LABEL.sandbox]),
    );
    for (const id of known) if (!alive.has(id)) void this.notice(id);
  }

  /** Handles a sandbox that seems to have ended by itself, or that, given a reason, has to end now. */
  private async notice(id: string, reason?: string): Promise<void> {
    const { toolkit } = await this.open();
    await this.lock.run(id, async () => {
      if (!this.living.has(id)) return;
      try {
        const inspected = await inspectContainer(toolkit, id);
        if (reason === undefined && inspected.state !== 'gone') return;
        // The container is removed after its end was recorded; until then the engine knows the time.
        if (inspected.state !== 'gone') await killContainer(toolkit, id);
        await this.living.get(id)?.finish();
        const endedAt = inspected.state === 'gone' ? inspected.endedAt : undefined;
        await this.options.events.ended(id, endedAt ?? new Date(), reason);
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
    guard?.remove(id);
    await endContainer(toolkit, id, this.living.get(id));
    this.living.delete(id);
    await this.setting.end(id);
  }
}

const LIVING_STATES = new Set(['running', 'paused', 'created', 'restarting']);

/** Ids become names of containers, volumes and folders. */
function checkId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id)) throw new Error('not a valid id of a sandbox or a disk');
}
