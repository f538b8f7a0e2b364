/** Sandboxes for tests: a host with the real provider in a folder of its own, which leaves nothing behind. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../src/config.ts';
import { createSigner } from '../src/platform/auth/signing.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics/metrics.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { createNamespacesProvider } from '../src/platform/sandbox/namespaces/namespaces-provider.ts';
import type { SandboxProvider } from '../src/platform/sandbox/sandbox-provider.ts';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { openSandboxHost, type SandboxHost } from '../src/runtimes/sandbox-host.ts';
import type { TerminalLimits } from '../src/runtimes/terminals/terminals.ts';
import { requireWhereInstalled } from './installed-sandboxes.ts';

export interface TestSandboxes extends SandboxHost {
  readonly provider: SandboxProvider;
  readonly dataDir: string;
  /** Releases its sandboxes, as an ending process does. The folder keeps its content. */
  letGo(): Promise<void>;
}

interface Place {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly config: Config;
  readonly secretKey: string;
  /** Data directory of another one that has released its sandboxes; a new folder by default. */
  readonly dataDir?: string;
  readonly terminalLimits?: Partial<TerminalLimits> | undefined;
}

export async function openTestSandboxes({
  db,
  storage,
  config,
  secretKey,
  dataDir = newFolder(),
  terminalLimits,
}: Place): Promise<TestSandboxes> {
  const log = createLog('fatal');
  let provider: SandboxProvider | undefined;
  const host = await openSandboxHost({
    db,
    storage,
    signer: createSigner(secretKey),
    vault: createVault(secretKey),
    log,
    metrics: new Metrics(log),
    dataDir,
    url: config.sandboxes.hostUrl ?? config.publicUrl,
    runtimeLimits: config.runtimeLimits,
    credits: config.credits,
    allowProcessIsolation: config.sandboxes.allowProcessIsolation,
    openProviders: (folder, events) => {
      provider = createNamespacesProvider({ folder, log, events });
      return [provider];
    },
    terminalLimits,
  });
  if (!provider) throw new Error('no provider was opened');
  const own = provider;
  requireWhereInstalled(await own.probe());
  return {
    ...host,
    provider: own,
    dataDir,
    letGo: () => host.close(),
    close: async () => {
      for (const id of await own.list()) await own.kill(id);
      for (const id of await own.listDisks()) await own.removeDisk(id);
      await host.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Open to the users that sandboxes run as, if they know its name. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-sandboxes-'));
  chmodSync(folder, 0o711);
  return folder;
}
