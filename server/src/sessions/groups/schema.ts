/** Request schemas for session groups. */
import { z } from 'zod';
import { DateTime, Uuid } from '../../platform/fields.ts';
import { GROUP_KINDS, GROUP_STATUSES, Title } from '../schema.ts';

const Label = z.string().max(255);

export const SessionGroupCreateRequest = z
  .object({
    kind: z.enum(GROUP_KINDS),
    id: Uuid.optional().describe('Omitted: made here'),
    title: Title.nullish(),
    status: z.enum(GROUP_STATUSES).nullable().default('running').describe('null: it has not begun'),
    worker: Label.nullish(),
    capability: Label.nullish(),
    capability_version: Label.nullish(),
    evaluation_id: Uuid.nullish(),
    evaluation_item_id: Uuid.nullish(),
    evaluation_item_attempt_id: Uuid.nullish(),
    runtime_id: Uuid.nullish(),
    started_at: DateTime.nullish().describe('Omitted: when it begins'),
  })
  .meta({ id: 'SessionGroupCreateRequest' });

export const SessionGroupUpdateRequest = z
  .object({
    status: z.enum(GROUP_STATUSES).nullish().describe('What has ended stays so'),
    title: Title.nullish(),
    capability: Label.nullish(),
    capability_version: Label.nullish(),
    started_at: DateTime.nullish().describe('Omitted: when it begins'),
    completed_at: DateTime.nullish().describe('Of a group that has ended. Omitted: when it ends'),
  })
  .meta({ id: 'SessionGroupUpdateRequest' });

export type NewGroup = z.output<typeof SessionGroupCreateRequest>;
export type GroupUpdate = z.output<typeof SessionGroupUpdateRequest>;
