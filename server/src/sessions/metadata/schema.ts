/** Request schema of a session update. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';
import { Agent, Labels, Model, Title, VISIBILITIES } from '../schema.ts';

export const SessionUpdateRequest = z
  .object({
    title: Title.nullish(),
    labels: Labels.nullish(),
    model: Model.optional(),
    agent: Agent.nullish(),
    visibility: z.enum(VISIBILITIES).optional().describe('What is visible in the workspace stays so'),
    project_id: Uuid.nullish(),
  })
  .meta({ id: 'SessionUpdateRequest' });

export type SessionUpdate = z.output<typeof SessionUpdateRequest>;
