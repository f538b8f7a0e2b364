/** Access to sandboxes in a process: those of its own host, if it is one, and those of others through their processes. */
import { join } from 'node:path';
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import type { ProviderReport, SandboxEvents, SandboxProvider } from '../platform/sandbox/sandbox-provider.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import type { GrantRules } from './accounting/grants.ts';
import { FleetOperator } from './hosts/fleet-operator.ts';
import { Host } from './hosts/host.ts';
import type { OwnHost } from './hosts/internal-routes.ts';
import type { RuntimeOperator } from './operator.ts';
import { PlatformRelay, type Serve } from './platform-access/relay.ts';
import type { TerminalLimits } from './terminals/terminals.ts';

export interface SandboxHostOptions {
  readonly db: Db;
  /** Storage with the files of capabilities. */
  readonly storage: ObjectStorage;
  readonly signer: Signer;
  readonly vault: Vault;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dataDir: string;
  /** URL of this process for other processes. */
  readonly url: string;
  readonly runtimeLimits: GrantRules['platform'];
  readonly credits: GrantRules['credits'];
  readonly allowProcessIsolation: boolean;
  /** Creates the providers of this host, in a folder of their own. */
  readonly openProviders: (folder: string, events: SandboxEvents) => readonly SandboxProvider[];
  readonly terminalLimits?: Partial<TerminalLimits> | undefined;
}

export interface SandboxHost {
  readonly operator: RuntimeOperator;
  readonly own: OwnHost;
  /** Publishes the address at which it can be reached. */
  announce(url: string): Promise<void>;
  /** Sets the application that handles requests of sandboxes to the platform. */
  serveBy(serve: Serve): void;
  /** Closes the host without ending its sandboxes. */
  close(): Promise<void>;
}

export async function openSandboxHost(options: SandboxHostOptions): Promise<SandboxHost> {
  const { db, storage, signer, vault, log, metrics, url, runtimeLimits, credits } = options;
  const folder = join(options.dataDir, 'sandboxes');
  const rules = { platform: runtimeLimits, credits };
  const relay = new PlatformRelay({ db, signer, log });
  const host = await Host.open({
    db,
    storage,
    vault,
    log,
    rules,
    folder,
    url,
    providers: (events) => options.openProviders(folder, { ...events, platform: relay.take }),
    judge: (report) => (options.allowProcessIsolation ? report : refuseProcessIsolation(report)),
    terminalLimits: options.terminalLimits,
  });
  metrics.addGauge({
    name: 'drydock_terminals',
    help: 'Terminals of this host that are kept, with those that have just ended.',
    read: () => host.terminalCount,
  });
  metrics.addGauge({
    name: 'drydock_sandboxes',
    help: 'Sandboxes of this host that have not ended, by state.',
    labelNames: ['state'],
    read: async () =>
      (await host.countByState()).map(({ state, count }) => ({ labels: { state }, value: count })),
  });
  return {
    operator: new FleetOperator({ db, signer, rules, host }),
    own: host,
    announce: (reached) => host.announce(reached),
    serveBy: (serve) => relay.serveBy(serve),
    close: () => host.close(),
  };
}

function refuseProcessIsolation(report: ProviderReport): ProviderReport {
  if (report.isolation !== 'process' || !report.available) return report;
  return {
    ...report,
    available: false,
    reason:
      'It shares the kernel of this machine, and with DRYDOCK_SIGNUP=open anybody can come in; allow it with DRYDOCK_ALLOW_PROCESS_ISOLATION=1.',
  };
}
