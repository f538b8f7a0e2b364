import { z } from 'zod';
import { Slug } from '../../platform/fields.ts';
import { RuntimeConfig, RuntimeSeconds } from '../config-schema.ts';

/** Omitting the body requests the caller's default runtime. */
export const RuntimeCreateRequest = z
  .object({
    name: z.string().trim().min(1).max(100).nullish(),
    key: Slug.nullish().describe(
      'Derived from the name by default; with neither, `default-` and your username',
    ),
    description: z.string().max(500).nullish(),
    project: z.string().min(1).nullish().describe('Project key or uuid'),
    requested_runtime_limit_seconds: RuntimeSeconds.nullish(),
    config: RuntimeConfig.prefault({}),
  })
  .meta({ id: 'RuntimeCreateRequest' });

export type NewRuntime = z.output<typeof RuntimeCreateRequest>;
