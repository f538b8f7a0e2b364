import { z } from 'zod';
import { prices } from '../providers/schema.ts';

/** As OpenAI lists models, with what they cost here. */
export const ModelEntry = z
  .object({
    id: z.string().describe('`provider/name`: what calls name'),
    object: z.literal('model'),
    created: z.int().describe('Seconds since 1970: when its provider was listed'),
    owned_by: z.string().describe('Its provider'),
    ...prices,
    max_output_tokens: z.int().describe('What is held back for a call that sets no limit'),
    simulated: z.boolean().describe('Its answers are made up by Drydock; no model is called'),
  })
  .meta({ id: 'InferenceModelEntry' });

export type ModelEntryOf = z.output<typeof ModelEntry>;

export const ModelEntryList = z
  .object({ object: z.literal('list'), data: z.array(ModelEntry) })
  .meta({ id: 'InferenceModelList' });

/** Its id holds a slash, which some clients escape and others do not. */
export const modelParam = z.object({ path: z.string().describe('The id of the model: `provider/name`') });
