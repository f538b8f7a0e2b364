import { z } from 'zod';
import { Slug, Timestamp } from '../../platform/fields.ts';
import { SIMULATED } from '../simulated-models.ts';
import { BaseUrl } from './base-url.ts';

const MAX_PROVIDERS = 50;
const MAX_MODELS = 500;
/** Size of the largest list: the maximum number of providers and models with long names. */
export const PROVIDERS_BYTES = 8 * 1024 * 1024;

const ProviderName = Slug.refine(
  (name) => name !== SIMULATED,
  'is reserved for the built-in simulated models; choose another name',
).describe('What comes before the first slash in the ids of its models');

const ModelName = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9@][A-Za-z0-9@._:+~-]*(\/[A-Za-z0-9@_:+~-][A-Za-z0-9@._:+~-]*)*$/,
    'must be letters, digits and any of @ . _ : + ~ - with single slashes between them',
  )
  .describe('As the provider calls it');

const Price = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((price) => Number(price.toFixed(6)) === price, 'must have at most six decimals')
  .describe('US dollars per million tokens');

const ModelRequest = z
  .object({
    name: ModelName,
    input_price: Price,
    output_price: Price,
    cache_read_price: Price.optional().describe('US dollars per million tokens; input_price by default'),
    cache_creation_price: Price.optional().describe('US dollars per million tokens; input_price by default'),
    max_output_tokens: z
      .int()
      .min(1)
      .max(10_000_000)
      .default(8_192)
      .describe('What is held back for a call that sets no limit'),
  })
  .meta({ id: 'InferenceModelRequest' });

const Kind = z.enum(['openai_compatible', 'anthropic', 'google']);

const ProviderRequest = z
  .object({
    name: ProviderName,
    kind: Kind,
    base_url: BaseUrl.describe('What comes before `/chat/completions`, or what its kind has in its place'),
    api_key: z
      .string()
      .min(1)
      .max(4_096)
      .regex(/^[!-~]+$/, 'must be visible characters of ASCII: it is sent in a header')
      .nullish()
      .describe('Write-only. Omit it to keep the stored key; null removes it'),
    timeout_seconds: z
      .int()
      .min(1)
      .max(3_600)
      .default(600)
      .describe(
        'Timeout for the first byte, between two bytes, and between two events of a stream with content',
      ),
    models: uniquelyNamed(ModelRequest, MAX_MODELS),
  })
  .meta({ id: 'InferenceProviderRequest' });

export const InferenceProvidersReplaceRequest = z
  .object({ providers: uniquelyNamed(ProviderRequest, MAX_PROVIDERS) })
  .meta({ id: 'InferenceProvidersReplaceRequest' });

export type ProviderRequestOf = z.output<typeof ProviderRequest>;

function uniquelyNamed<Item extends z.ZodType<{ readonly name: string }>>(item: Item, max: number) {
  return z
    .array(item)
    .max(max)
    .superRefine((items, context) => {
      const names = new Set<string>();
      for (const [index, { name }] of items.entries()) {
        if (names.has(name)) {
          const message = 'is the name of another one in this list';
          context.addIssue({ code: 'custom', path: [index, 'name'], message, input: name });
        }
        names.add(name);
      }
    });
}

const PriceValue = z.number().describe('US dollars per million tokens');

export const prices = {
  input_price: PriceValue,
  output_price: PriceValue,
  cache_read_price: PriceValue,
  cache_creation_price: PriceValue,
};

const InferenceModel = z
  .object({
    id: z.string().describe('What callers name: `provider/name`'),
    name: z.string(),
    ...prices,
    max_output_tokens: z.int(),
  })
  .meta({ id: 'InferenceModel' });

export const InferenceProvider = z
  .object({
    name: z.string(),
    kind: Kind,
    base_url: z.string(),
    has_api_key: z.boolean(),
    timeout_seconds: z.int(),
    models: z.array(InferenceModel),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'InferenceProvider' });

export type InferenceProviderOf = z.output<typeof InferenceProvider>;
export type InferenceModelOf = z.output<typeof InferenceModel>;
