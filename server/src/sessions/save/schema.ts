/** Request schema of a save. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';
import { Agent, Labels, Model, type ORIGINS, SAVED_ORIGINS, Title, VISIBILITIES } from '../schema.ts';

const MAX_MESSAGE_COUNT = 2_147_483_647;

/** Absent fields get their default in a new session and stay unchanged in an existing one. */
export const SessionCreateRequest = z
  .object({
    id: Uuid.describe('Made by you; saved again, the session changes'),
    model: Model,
    agent: Agent.nullish(),
    title: Title.nullish(),
    labels: Labels.nullish(),
    message_count: z
      .int()
      .min(0)
      .max(MAX_MESSAGE_COUNT)
      .optional()
      .meta({ default: 0 })
      .describe('Your figure; it counts until messages are stored here'),
    origin: z
      .enum(SAVED_ORIGINS)
      .optional()
      .meta({ default: 'user' })
      .describe('Of the first save, for good'),
    visibility: z
      .enum(VISIBILITIES)
      .optional()
      .meta({ default: 'private' })
      .describe('What is visible in the workspace stays so'),
    group_id: Uuid.nullish(),
    project_id: Uuid.nullish(),
    runtime_id: Uuid.nullish(),
  })
  .meta({ id: 'SessionCreateRequest' });

/** A save by a client, or by a job, which may set any origin. */
export type SaveRequest = Omit<z.output<typeof SessionCreateRequest>, 'origin'> & {
  readonly origin?: (typeof ORIGINS)[number] | undefined;
};
