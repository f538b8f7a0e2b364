/** The record of a sandbox on disk, by which the next process finds it. It holds no secrets. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ProcessName, readBootId } from '../process-table.ts';
import type { SandboxSpec } from '../sandbox-provider.ts';

const processSchema = z.object({ pid: z.int(), start: z.int() });

const recordSchema = z.object({
  boot_id: z.string(),
  spec: z.object({
    id: z.string(),
    diskId: z.string(),
    diskGroup: z.object({ id: z.string(), maxBytes: z.number() }).optional(),
    hostname: z.string(),
    limits: z.object({
      cpuCores: z.number().optional(),
      memoryMb: z.number().optional(),
      pids: z.number().optional(),
    }),
    hasWorkspace: z.boolean(),
    egressAllow: z.array(z.string()),
    hasPlatformAccess: z.boolean().optional(),
  }),
  /** User of its processes on the host. */
  uid: z.int(),
  is_paused: z.boolean(),
  /** False for a sandbox started by a server without capability support. */
  shows_capabilities: z.boolean().default(false),
  /** Undefined until it runs. */
  processes: z
    .object({
      /** Records the end. */
      outermost: processSchema,
      /** Lives in the user namespace that commands enter. */
      holder: processSchema,
      /** Process 1 inside. */
      first: processSchema,
    })
    .optional(),
});

export type SandboxRecord = Omit<z.infer<typeof recordSchema>, 'spec'> & { readonly spec: SandboxSpec };
export type SandboxProcesses = Readonly<Record<'outermost' | 'holder' | 'first', ProcessName>>;

export function createRecord(spec: SandboxSpec, uid: number): SandboxRecord {
  return { boot_id: readBootId(), spec, uid, is_paused: false, shows_capabilities: true };
}

/** Written atomically, even when this process is killed during the write. */
export async function writeRecord(path: string, record: SandboxRecord): Promise<void> {
  await writeFile(`${path}.draft`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${path}.draft`, path);
}

/** Returns undefined when the record does not exist or is unreadable. */
export function findRecord(path: string): SandboxRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) as SandboxRecord;
  } catch {
    return undefined;
  }
}
