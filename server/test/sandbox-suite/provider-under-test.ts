/**
 * A provider in a folder, with namespaces or containers, whose reports are recorded, and a network in which every name of `.test` resolves
 * to this machine.
 */
import { createLog } from '../../src/platform/log.ts';
import {
  type ContainerOptions,
  createContainerProvider,
} from '../../src/platform/sandbox/container/container-provider.ts';
import { createNamespacesProvider } from '../../src/platform/sandbox/namespaces/namespaces-provider.ts';
import { probeAbilities } from '../../src/platform/sandbox/probe.ts';
import type { EgressEntry, Limit, SandboxProvider } from '../../src/platform/sandbox/sandbox-provider.ts';
import type { EngineAccess } from '../containers/engine-under-test.ts';
import type { Ability } from './sandbox-case.ts';

export interface ProviderUnderTest {
  readonly folder: string;
  /** Undefined: sandboxes use namespaces. */
  readonly engine: EngineAccess | undefined;
  readonly provider: SandboxProvider;
  readonly ended: { readonly id: string; readonly endedAt: Date }[];
  readonly egress: { readonly id: string; readonly entry: EgressEntry }[];
}

export function openProvider(folder: string, engine?: EngineAccess): ProviderUnderTest {
  const ended: ProviderUnderTest['ended'] = [];
  const egress: ProviderUnderTest['egress'] = [];
  const options = {
    folder,
    log: createLog('fatal'),
    events: {
      ended: (id, endedAt) => void ended.push({ id, endedAt }),
      egress: (id, entry) => void egress.push({ id, entry }),
    },
    network: {
      resolve: async (host) => (host.endsWith('.test') ? ['127.0.0.1'] : []),
      isReachable: (address) => address === '127.0.0.1',
    },
  } satisfies Omit<ContainerOptions, 'settings'>;
  const provider = engine
    ? createContainerProvider({ ...options, settings: toSettings(engine) })
    : createNamespacesProvider(options);
  return { folder, engine, provider, ended, egress };
}

export const toSettings = ({ socketPath, image }: EngineAccess): ContainerOptions['settings'] => ({
  host: `unix://${socketPath}`,
  certificates: undefined,
  image,
  pull: false,
  runtime: undefined,
});

const LIMITS: readonly Limit[] = ['cpu', 'memory', 'pids'];

/** Combines the provider's claimed abilities with those found on this host. */
export async function findAbilities({ folder, engine, provider }: ProviderUnderTest): Promise<Set<Ability>> {
  const report = await provider.probe();
  const uid = process.getuid?.() === 0 ? 2_000_000_000 : undefined;
  // An engine's disk includes all of /usr/local.
  const hasLayer = engine !== undefined || (await probeAbilities({ uid, folder })).overlay.isPossible;
  const limits = LIMITS.map(
    (limit): Ability => (report.limits.includes(limit) ? `${limit} limit` : `no ${limit} limit`),
  );
  return new Set<Ability>([
    ...limits,
    ...(report.supportsPause ? (['pause'] as const) : []),
    ...(hasLayer ? (['layer'] as const) : []),
    // Podman's conmon reads no output while the program does not read its input, so the two can deadlock.
    ...(engine?.kind === 'podman' ? [] : (['terminal both ways'] as const)),
  ]);
}
