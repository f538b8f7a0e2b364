/** Opens the configured sandbox providers of a process. */
import { existsSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { createSigner } from './platform/auth/signing.ts';
import type { Db } from './platform/db/connect.ts';
import { ApiError } from './platform/errors.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import type { ObjectStorage } from './platform/object-storage/object-storage.ts';
import { createContainerProvider } from './platform/sandbox/container/container-provider.ts';
import type { ContainerSettings } from './platform/sandbox/container/container-toolkit.ts';
import type { DiskBounds } from './platform/sandbox/disk-guard.ts';
import { createNamespacesProvider } from './platform/sandbox/namespaces/namespaces-provider.ts';
import type { SandboxEvents, SandboxProvider } from './platform/sandbox/sandbox-provider.ts';
import { createVault } from './platform/secrets/envelope.ts';
import type { DiskReserve } from './platform/storage-limits/disk-reserve.ts';
import { FleetOperator } from './runtimes/hosts/fleet-operator.ts';
import type { RuntimeOperator } from './runtimes/operator.ts';
import { openSandboxHost, type SandboxHost } from './runtimes/sandbox-host.ts';

export interface SandboxesOptions {
  readonly config: Config;
  readonly secretKeys: { readonly current: string; readonly other: string | undefined };
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly disk: DiskReserve;
}

export async function openSandboxes({
  config,
  secretKeys,
  db,
  storage,
  log,
  metrics,
  disk,
}: SandboxesOptions): Promise<SandboxHost> {
  const { current, other } = secretKeys;
  const reserveBytes = await disk.bytesLeftByFiles();
  const { dataDir, runtimeLimits, credits, sandboxes } = config;
  return openSandboxHost({
    db,
    storage,
    signer: createSigner(current, other),
    vault: createVault(current, other),
    log,
    metrics,
    dataDir,
    url: sandboxes.hostUrl ?? config.publicUrl,
    runtimeLimits,
    credits,
    allowProcessIsolation: sandboxes.allowProcessIsolation,
    openProviders: (folder, events) =>
      openProviders(sandboxes.containers, { folder, log, events, diskBounds: { reserveBytes } }),
  });
}

interface ProviderOptions {
  readonly folder: string;
  readonly log: Log;
  readonly events: SandboxEvents;
  readonly diskBounds: Partial<DiskBounds>;
}

/** Opens the providers in the order of preference for `auto`: an engine that the operator has configured comes first. */
function openProviders(settings: ContainerSettings, options: ProviderOptions): SandboxProvider[] {
  const containers = createContainerProvider({
    ...options,
    folder: join(options.folder, 'containers'),
    settings,
  });
  const namespaces = createNamespacesProvider(options);
  return settings.image === undefined ? [namespaces, containers] : [containers, namespaces];
}

/**
 * Ends all sandboxes of a data directory that no server uses, and removes their disks.
 * @returns how many were ended
 */
export async function endSandboxes({ dataDir, sandboxes }: Config, log: Log): Promise<number> {
  const events = { ended: () => undefined, egress: () => undefined };
  const folder = join(dataDir, 'sandboxes');
  let ended = 0;
  for (const provider of openProviders(sandboxes.containers, { folder, log, events, diskBounds: {} })) {
    try {
      const { available, reason } = await provider.probe();
      if (!available) {
        if (!mayHaveSandboxes(provider.name, sandboxes.containers, folder)) continue;
        throw new ApiError(
          'sandbox_provider_error',
          `Sandboxes of the provider ${provider.name} cannot be ended. ${reason}`,
        );
      }
      for (const id of await provider.list()) {
        await provider.kill(id);
        ended++;
      }
      for (const diskId of await provider.listDisks()) await provider.removeDisk(diskId);
    } finally {
      await provider.close();
    }
  }
  return ended;
}

/** Whether sandboxes of a provider that is not available now may still be running. */
function mayHaveSandboxes(name: string, containers: ContainerSettings, folder: string): boolean {
  if (name === 'container') return containers.image !== undefined;
  const runs = join(folder, 'run');
  return existsSync(runs) && readdirSync(runs).length > 0;
}

/** Opens access to the hosts of other processes, for a process that hosts no sandboxes. */
export function openOperator({
  config,
  secretKeys,
  db,
}: Pick<SandboxesOptions, 'config' | 'secretKeys' | 'db'>): RuntimeOperator {
  const rules = { platform: config.runtimeLimits, credits: config.credits };
  return new FleetOperator({ db, signer: createSigner(secretKeys.current, secretKeys.other), rules });
}

/** Returns the address at which other processes reach this one: the configured one, or else the public URL with the actual port. */
export function hostUrlOf(
  { port, publicUrl, sandboxes }: Config,
  address: AddressInfo | string | null,
): string {
  if (sandboxes.hostUrl !== undefined) return sandboxes.hostUrl;
  const got = typeof address === 'object' && address ? address.port : port;
  return port === 0 ? publicUrl.replace(/:0$/, `:${got}`) : publicUrl;
}
