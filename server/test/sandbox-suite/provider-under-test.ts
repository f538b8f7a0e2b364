/** A `namespaces` provider in a folder, with what it tells of noted, and a network in which every name of `.test` is this machine. */
import { createLog } from '../../src/platform/log.ts';
import { createNamespacesProvider } from '../../src/platform/sandbox/namespaces/namespaces-provider.ts';
import { probeAbilities } from '../../src/platform/sandbox/probe.ts';
import type { EgressEntry, Limit, SandboxProvider } from '../../src/platform/sandbox/sandbox-provider.ts';
import type { Ability } from './sandbox-case.ts';

export interface ProviderUnderTest {
  readonly folder: string;
  readonly provider: SandboxProvider;
  readonly ended: { readonly id: string; readonly endedAt: Date }[];
  readonly egress: { readonly id: string; readonly entry: EgressEntry }[];
}

export function openProvider(folder: string): ProviderUnderTest {
  const ended: ProviderUnderTest['ended'] = [];
  const egress: ProviderUnderTest['egress'] = [];
  const provider = createNamespacesProvider({
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
  });
  return { folder, provider, ended, egress };
}

const LIMITS: readonly Limit[] = ['cpu', 'memory', 'pids'];

/** What it claims, and what this host was found to have. */
export async function findAbilities({ folder, provider }: ProviderUnderTest): Promise<Set<Ability>> {
  const report = await provider.probe();
  const uid = process.getuid?.() === 0 ? 2_000_000_000 : undefined;
  const { overlay } = await probeAbilities({ uid, folder });
  const limits = LIMITS.map(
    (limit): Ability => (report.limits.includes(limit) ? `${limit} limit` : `no ${limit} limit`),
  );
  return new Set<Ability>([
    ...limits,
    ...(report.supportsPause ? (['pause'] as const) : []),
    ...(overlay.isPossible ? (['layer'] as const) : []),
  ]);
}
