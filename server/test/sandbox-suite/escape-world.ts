/**
 * Sandboxes of a real provider for the escape tests; all of them are removed when the file ends. They use namespaces, or containers with
 * `npm run test:containers`.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createContainerProvider } from '../../src/platform/sandbox/container/container-provider.ts';
import type { DiskBounds } from '../../src/platform/sandbox/disk-guard.ts';
import { createNamespacesProvider } from '../../src/platform/sandbox/namespaces/namespaces-provider.ts';
import type { SandboxLimits, SandboxProvider } from '../../src/platform/sandbox/sandbox-provider.ts';
import { type EngineKind, findObstacle, startEngine } from '../containers/engine-under-test.ts';
import { requireWhereInstalled } from '../installed-sandboxes.ts';
import { toSettings } from './provider-under-test.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cell {
  readonly id: string;
  readonly diskId: string;
  /** Runs a shell script in it to its end. */
  sh(script: string, environment?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Runs a Perl program, which can make any system call. */
  perl(program: string): Promise<Outcome>;
}

export interface World {
  readonly folder: string;
  readonly provider: SandboxProvider;
  readonly limits: readonly string[];
  /** Ids of sandboxes that ended by themselves. */
  readonly ended: readonly string[];
  readonly isContainer: boolean;
  /** Returns the path of a disk's workspace on this machine. */
  readonly workspaceOf: (diskId: string) => string;
  start(limits?: SandboxLimits, diskId?: string): Promise<Cell>;
}

/** Undefined, with the reason printed, if this machine has no sandboxes. */
export async function openWorld(diskBounds: Partial<DiskBounds> = {}): Promise<World | undefined> {
  const kind = process.env.DRYDOCK_TEST_CONTAINERS as EngineKind | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'drydock-escape-'));
  const ended: string[] = [];
  const options = {
    folder: join(folder, 'sandboxes'),
    log: createLog('fatal'),
    diskBounds,
    events: { ended: async (id: string) => void ended.push(id), egress: () => undefined },
  };
  const { provider, workspaceOf, close } = await (kind
    ? openContainers(kind, options)
    : openNamespaces(options));
  const report = await provider.probe();
  if (!report.available) {
    console.warn(`no sandboxes to get out of: ${report.reason}`);
    await close();
    rmSync(folder, { recursive: true });
    if (!kind) requireWhereInstalled(report);
    return undefined;
  }
  afterAll(async () => {
    try {
      await closeWorld(provider, folder);
    } finally {
      await close();
    }
  });
  const { limits } = report;
  return {
    folder,
    provider,
    limits,
    ended,
    isContainer: kind !== undefined,
    workspaceOf,
    start: starter(provider, limits),
  };
}

type Options = Parameters<typeof createNamespacesProvider>[0];

interface Opened {
  readonly provider: SandboxProvider;
  readonly workspaceOf: World['workspaceOf'];
  readonly close: () => Promise<void>;
}

const openNamespaces = async (options: Options): Promise<Opened> => ({
  provider: createNamespacesProvider(options),
  workspaceOf: (diskId) => join(options.folder, 'disks', diskId, 'workspace'),
  close: async () => undefined,
});

async function openContainers(kind: EngineKind, options: Options): Promise<Opened> {
  const obstacle = findObstacle(kind);
  if (obstacle !== undefined) throw new Error(`There is no ${kind} to get out of: ${obstacle}`);
  const engine = await startEngine(kind);
  const volumes = join(engine.root, 'volumes');
  const toVolume = (diskId: string) =>
    readdirSync(volumes).find((name) => name.endsWith(`-disk-${diskId}-workspace`)) ?? 'none';
  return {
    provider: createContainerProvider({ ...options, settings: toSettings(engine) }),
    workspaceOf: (diskId) => join(volumes, toVolume(diskId), '_data'),
    close: () => engine.close(),
  };
}

async function closeWorld(provider: SandboxProvider, folder: string): Promise<void> {
  for (const id of await provider.list()) await provider.kill(id);
  for (const id of await provider.listDisks()) await provider.removeDisk(id);
  const left = [await provider.list(), await provider.listDisks()];
  await provider.close();
  rmSync(folder, { recursive: true });
  expect(left).toEqual([[], []]);
}

function starter(provider: SandboxProvider, held: readonly string[]): World['start'] {
  return async (wanted = { memoryMb: 512, pids: 256 }, diskId = randomUUID()) => {
    const id = randomUUID();
    const limits = {
      ...(held.includes('cpu') && wanted.cpuCores !== undefined && { cpuCores: wanted.cpuCores }),
      ...(held.includes('memory') && wanted.memoryMb !== undefined && { memoryMb: wanted.memoryMb }),
      ...(held.includes('pids') && wanted.pids !== undefined && { pids: wanted.pids }),
    };
    await provider.start({ id, diskId, hostname: 'cell', limits, hasWorkspace: true, egressAllow: [] });
    const run = (argv: readonly [string, ...string[]], environment: Readonly<Record<string, string>> = {}) =>
      runToEnd(provider, id, argv, environment);
    return {
      id,
      diskId,
      sh: (script, environment) => run(['sh', '-c', script], environment),
      perl: (program) => run(['perl', '-e', program]),
    };
  };
}

async function runToEnd(
  provider: SandboxProvider,
  id: string,
  argv: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const execution = await provider.exec(id, { argv, cwd: '/workspace', environment });
  execution.stdin.end();
  const [stdout, stderr, { code }] = await Promise.all([
    execution.stdout.toArray(),
    execution.stderr.toArray(),
    execution.exit,
  ]);
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** Requires that the sandboxes still respond quickly. */
export async function expectAlive(...cells: readonly Cell[]): Promise<void> {
  for (const cell of cells) expect(await cell.sh('echo alive')).toMatchObject({ code: 0, stdout: 'alive\n' });
}
