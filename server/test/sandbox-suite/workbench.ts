/** What a case works with: sandboxes that are ended after it, and looked for when they should be gone. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { collectOutput, type Output, type OutputOptions } from '../../src/platform/sandbox/output.ts';
import type { Execution, SandboxProvider, SandboxSpec } from '../../src/platform/sandbox/sandbox-provider.ts';
import { PATIENCE_MS } from '../patience.ts';
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

  /** Of a sandbox and a disk that are removed after the case. */
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
    return collectOutput(execution, { timeoutMs: PATIENCE_MS, ...options });
  }

  /** In bash; @returns what it wrote, once it has succeeded */
  async bash(id: string, script: string, options: RunOptions = {}): Promise<string> {
    const output = await this.run(id, ['bash', '-c', script], options);
    assert.equal(output.exit_code, 0, `${script}\n${output.stdout}${output.stderr}`);
    return output.stdout;
  }

  /** By which it is known from the outside. */
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

  /** @param areCorpsesOfHost those of a killed process are left to the host, which may take its time to reap them */
  assertGone(traces: Traces, areCorpsesOfHost = false): void {
    assert.deepEqual(findLeftovers(this.under, traces, areCorpsesOfHost), []);
  }

  /** Another provider, in a folder of its own that is removed after the case. */
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

  /** Is done after the case, the last first. */
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

/** Of a sandbox that was given none; does not hold its id, which is looked for when it is gone. */
export const toDiskId = (id: string) => id.replace('suite', 'disk');

/** Until it is so, or has not been for too long. */
export async function until(what: string, isSo: () => unknown, timeoutMs = PATIENCE_MS): Promise<void> {
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
