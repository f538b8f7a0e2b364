import { z } from 'zod';
import { Timestamp } from '../../platform/fields.ts';
import { prices } from '../providers/schema.ts';

/** A model as listed by OpenAI and Anthropic, with its price. */
export const ModelEntry = z
  .object({
    id: z.string().describe('`provider/name`: what calls name'),
    object: z.literal('model'),
    created: z.int().describe('Seconds since 1970: when its provider was listed'),
    owned_by: z.string().describe('Its provider'),
    type: z.literal('model').describe('For clients of Anthropic'),
    display_name: z.string().describe('The id, for clients of Anthropic'),
    created_at: Timestamp.describe('The same as `created`, for clients of Anthropic'),
    ...prices,
    max_output_tokens: z.int().describe('What is held back for a call that sets no limit'),
    simulated: z.boolean().describe('The responses are simulated by Drydock; no model is called'),
  })
  .meta({ id: 'InferenceModelEntry' });

export type ModelEntryOf = z.output<typeof ModelEntry>;

export const ModelEntryList = z
  .object({
    object: z.literal('list'),
    data: z.array(ModelEntry),
    has_more: z.literal(false).describe('All models are in one list'),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: 'InferenceModelList' });

/** The id contains a slash, which some clients escape and others do not. */
export const modelParam = z.object({ path: z.string().describe('The id of the model: `provider/name`') });
