/** Embeddings on the wire, in OpenAI's form. Fields that are not listed here are passed on unchanged. */
import { z } from 'zod';
import { toNumber } from '../../platform/json.ts';
import { ChatCompletionRequest } from '../calls/schema.ts';

/** Same limit as OpenAI. */
const MAX_INPUTS = 2_048;

const Tokens = z.array(z.int().min(0)).min(1);

export const EmbeddingRequest = z
  .looseObject({
    model: ChatCompletionRequest.shape.model,
    input: z
      .union([
        z.string(),
        z.array(z.string()).min(1).max(MAX_INPUTS),
        Tokens,
        z.array(Tokens).min(1).max(MAX_INPUTS),
      ])
      .describe('A text, a list of texts, or tokens for a provider that takes them'),
    encoding_format: z
      .enum(['float', 'base64'])
      .nullish()
      .describe('Numbers by default, or the base64 of 32-bit floats, lowest byte first'),
    dimensions: z
      .unknown()
      .transform(toNumber)
      .pipe(z.int().min(1).max(65_536))
      .meta({ type: 'integer', minimum: 1, maximum: 65_536 })
      .nullish(),
  })
  .meta({ id: 'EmbeddingRequest' });

export const EmbeddingList = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'EmbeddingList' });
