/** Helpers of a case: sandboxes that are ended after it, and checks for their leftovers. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { collectOutput, type Output, type OutputOptions } from '../../src/platform/sandbox/output.ts';
import type { Execution, SandboxProvider, SandboxSpec } from '../../src/platform/sandbox/sandbox-provider.ts';
import { WAIT_TIMEOUT_MS } from '../wait-timeout.ts';
import { findLeftovers, holdNamespaces, type Traces } from './leftovers.ts';
import { openProvider, type ProviderUnderTest } from './provider-under-test.ts';

export type RunOptions = Partial<OutputOptions> & {
  readonly cwd?: string;
  readonly environment?: Record<string, string>;
};

export class Workbench {
  readonly under: ProviderUnderTest;
  private readonly ids: string[] = [];
  private readonly disks = new Set<string>();
  private readonly closes: (() => Promise<unknown>)[] = [];

  constructor(under: ProviderUnderTest) {
    this.under = under;
  }

  get provider(): SandboxProvider {
    return this.under.provider;
  }

  newId(): string {
    return `suite-${randomBytes(6).toString('hex')}`;
  }

  /** @returns its id */
  async start(given: Partial<SandboxSpec> = {}): Promise<string> {
    const spec = this.toSpec(given);
    await this.provider.start(spec);
    return spec.id;
  }

  /** Specification of a sandbox with a disk, both removed after the case. */
  toSpec(given: Partial<SandboxSpec> = {}): SandboxSpec {
    const id = given.id ?? this.newId();
    const diskId = given.diskId ?? toDiskId(id);
    this.ids.push(id);
    this.disks.add(diskId);
    return { id, diskId, hostname: 'box', limits: {}, hasWorkspace: true, egressAllow: [], ...given };
  }

  exec(id: string, argv: readonly [string, ...string[]], options: RunOptions = {}): Promise<Execution> {
    const { cwd = '/', environment = {} } = options;
    return this.provider.exec(id, { argv, cwd, environment });
  }

  async run(id: string, argv: readonly [string, ...string[]], options: RunOptions = {}): Promise<Output> {
    const execution = await this.exec(id, argv, options);
    return collectOutput(execution, { timeoutMs: WAIT_TIMEOUT_MS, ...options });
  }

  /**
   * Runs a bash script.
   * @returns its output after it has succeeded
   */
  async bash(id: string, script: string, options: RunOptions = {}): Promise<string> {
    const output = await this.run(id, ['bash', '-c', script], options);
    assert.equal(output.exit_code, 0, `${script}\n${output.stdout}${output.stderr}`);
    return output.stdout;
  }

  /** Reads the identifiers by which the sandbox is recognised from the outside. */
  async trace(id: string): Promise<Traces> {
    const links = await this.bash(
      id,
      'readlink /proc/self/ns/pid /proc/self/ns/net /proc/self/ns/ipc /proc/self/ns/uts',
    );
    const namespaces = links.trim().split('\n');
    const letGo = holdNamespaces(namespaces);
    this.after(async () => letGo());
    return { id, namespaces };
  }

  /** @param areCorpsesOfHost whether processes of a killed parent may remain until the host reaps them */
  assertGone(traces: Traces, areCorpsesOfHost = false): void {
    assert.deepEqual(findLeftovers(this.under, traces, areCorpsesOfHost), []);
  }

  /** Opens another provider, in a folder of its own that is removed after the case. */
  async openElsewhere(): Promise<Workbench> {
    const folder = await mkdtemp(join(this.under.folder, '..', 'elsewhere-'));
    const bench = new Workbench(openProvider(folder, this.under.engine));
    this.closes.push(async () => {
      await bench.close();
      await bench.provider.close();
      await rm(folder, { recursive: true, force: true });
    });
    return bench;
  }

  /** Registers clean-up that runs after the case, the last one first. */
  after(close: () => Promise<unknown>): void {
    this.closes.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.closes.toReversed()) await close();
    for (const id of this.ids) await this.provider.kill(id);
    for (const diskId of this.disks) await this.provider.removeDisk(diskId);
    const left = this.ids.flatMap((id) => findLeftovers(this.under, { id, namespaces: [] }));
    assert.deepEqual(left, []);
  }
}

/** Disk id for a sandbox without an explicit one; it does not contain the sandbox's id, which is searched for after the end. */
export const toDiskId = (id: string) => id.replace('suite', 'disk');

/** Waits until the condition is true, or fails after the timeout. */
export async function until(what: string, isSo: () => unknown, timeoutMs = WAIT_TIMEOUT_MS): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `not within ${timeoutMs} ms: ${what}`);
    await wait(10);
  }
}

export async function refusalOf(
  work: Promise<unknown>,
): Promise<{ readonly status: number; readonly message: string }> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof Error && 'status' in error && typeof error.status === 'number', String(error));
  return { status: error.status, message: error.message };
}
