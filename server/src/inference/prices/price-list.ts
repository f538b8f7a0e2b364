/** The price list of public models, for reported calls that no provider of the organization has a price for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Price } from '../offered-model.ts';

/** The built-in list, replaced as a whole by the file that `DRYDOCK_PRICE_LIST` names. */
export const BUILT_IN_PRICES = join(import.meta.dirname, 'public-prices.json');

const amount = z.number().min(0).max(1_000_000);

const PriceFile = z.object({
  /** Date of the prices, for human readers of the file. */
  as_of: z.iso.date(),
  models: z.record(
    z.string().regex(/^[^/\s]+\/\S+$/, 'must be <provider>/<name>'),
    z.object({
      input: amount,
      output: amount,
      // Defaults to the price of other input.
      cache_read: amount.optional(),
      cache_creation: amount.optional(),
    }),
  ),
});

export interface PriceList {
  /** Prices by `<provider>/<name>`, in lower case. */
  readonly models: ReadonlyMap<string, Price>;
}

/** @throws {Error} that describes the problem with the file */
export function readPriceList(path: string): PriceList {
  const parsed = PriceFile.safeParse(readJson(path));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const reason = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
    throw new Error(`${path} is not a price list: at ${issue?.path.join('.') || 'the top'}, ${reason}`);
  }
  const models = Object.entries(parsed.data.models).map(
    ([id, price]) => [id.toLowerCase(), toPrice(price)] as const,
  );
  return { models: new Map(models) };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(
      `${path} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

function toPrice({
  input,
  output,
  cache_read,
  cache_creation,
}: z.output<typeof PriceFile>['models'][string]): Price {
  return {
    input_price: input,
    output_price: output,
    cache_read_price: cache_read ?? input,
    cache_creation_price: cache_creation ?? input,
  };
}
