/** A provider on a temporary folder for a test, and checks of what it left behind. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createLog } from '../../log.ts';
import { findProcess, listChildren, listNumbers, listProcesses, type ProcessName } from '../process-table.ts';
import type { Command, Execution, SandboxProvider, SandboxSpec } from '../sandbox-provider.ts';
import { createNamespacesProvider } from './namespaces-provider.ts';

const MAX_KEPT_BYTES = 64 * 1024 ** 2;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class ProviderInTest {
  readonly folder: string;
  readonly ended: { readonly id: string; readonly at: Date; readonly reason: string | undefined }[] = [];
  provider: SandboxProvider;

  constructor(folder = mkdtempSync(join(tmpdir(), 'drydock-namespaces-'))) {
    this.folder = folder;
    this.provider = this.create();
  }

  /** Creates a second provider, like another process, which finds what the first one left. */
  async replace(): Promise<void> {
    await this.provider.close();
    this.provider = this.create();
  }

  async start(id: string, spec: Partial<SandboxSpec> = {}): Promise<void> {
    const usual = { diskId: `disk-${id}`, hostname: 'box', limits: {}, hasWorkspace: true, egressAllow: [] };
    await this.provider.start({ ...usual, ...spec, id });
  }

  async exec(id: string, script: string, command: Partial<Command> = {}): Promise<Execution> {
    const usual = { argv: ['sh', '-c', script] as const, cwd: '/workspace', environment: {} };
    return await this.provider.exec(id, { ...usual, ...command });
  }

  async run(id: string, script: string, command: Partial<Command> = {}, stdin?: Buffer): Promise<Ran> {
    const execution = await this.exec(id, script, command);
    execution.stdin.end(stdin);
    const [stdout, stderr, { code }] = await Promise.all([
      readOutput(execution.stdout),
      readOutput(execution.stderr),
      execution.exit,
    ]);
    return { code, stdout, stderr };
  }

  /** Lists processes of this folder's sandboxes, whose outermost ones name it. */
  listProcesses(): number[] {
    return listNumbers().filter((pid) => readArguments(pid).some((text) => text.startsWith(this.folder)));
  }

  async close(): Promise<void> {
    for (const id of await this.provider.list()) await this.provider.kill(id);
    for (const disk of await this.provider.listDisks()) await this.provider.removeDisk(disk);
    await this.provider.close();
    rmSync(this.folder, { recursive: true });
  }

  private create(): SandboxProvider {
    return createNamespacesProvider({
      folder: join(this.folder, 'sandboxes'),
      log: createLog('silent'),
      events: {
        ended: (id, at, reason) => void this.ended.push({ id, at, reason }),
        egress: () => undefined,
      },
    });
  }
}

const readArguments = (pid: number) => readText(`/proc/${pid}/cmdline`).split('\0');

/** Returns '' when the file does not exist. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** @param server the parent process */
export function findSpawners(server = process.pid): number[] {
  return listChildrenOf(server).filter((pid) => readText(`/proc/${pid}/cmdline`).includes('spawner-process'));
}

/** Lists the children of all threads. */
const listChildrenOf = (parent: number) =>
  listProcesses()
    .filter((entry) => entry.parent === parent)
    .map(({ pid }) => pid);

/** Finds processes that wait for a command. */
export function findSpares(spawner = findSpawners()[0] ?? 0): ProcessName[] {
  return listChildrenOf(spawner)
    .filter((pid) => readText(`/proc/${pid}/cmdline`).includes('read -r released'))
    .filter((pid) => listChildren(pid).length === 0) // otherwise a command already runs
    .map(findProcess)
    .filter((found) => found !== undefined);
}

/** Reads everything, and keeps the beginning: a program that never stops writing may write a gigabyte before it is ended. */
async function readOutput(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (sizeBytes < MAX_KEPT_BYTES) chunks.push(chunk);
    sizeBytes += chunk.length;
  }
  return Buffer.concat(chunks).toString();
}
