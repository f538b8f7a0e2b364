/** Request schema of session exports. */
import { z } from 'zod';
import { FORMATS } from './export.ts';

export const SessionTrajectory = z
  .record(z.string(), z.unknown())
  .meta({ id: 'SessionTrajectory', description: 'A document in the requested format' });

export const TrajectoryQuery = z.object({
  format: z
    .enum(FORMATS)
    .default('atif')
    .describe(
      'ATIF-v1.7; `{messages, tools, metadata}` as in Chat Completions; or the rows as they are stored',
    ),
  include_compacted: z.boolean().default(false).describe('All eras, not only the current one'),
});
