import { z } from 'zod';
import { Timestamp } from '../../../platform/fields.ts';
import { BindingParams } from '../schema.ts';

export const WorkerParams = BindingParams.extend({ worker: z.string().min(1).max(255) });

export const CapabilityWorker = z
  .object({
    name: z.string(),
    state: z
      .enum(['running', 'stopped', 'exited'])
      .describe('`stopped`: never started in this sandbox, or ended by a stop; `exited`: ended by itself'),
    started_at: Timestamp.nullable().describe('By the clock of the sandbox'),
    exit_code: z.int().nullable().describe('128 + n: ended by signal n'),
  })
  .meta({ id: 'CapabilityWorker' });
export type WorkerOf = z.output<typeof CapabilityWorker>;

export const CapabilityWorkers = z.array(CapabilityWorker);

export const CapabilityWorkerLog = z
  .object({ log: z.string().describe('The last 64 KiB of what it wrote, on both of its outputs') })
  .meta({ id: 'CapabilityWorkerLog' });
