/** Lists in bodies, counted before they are looked at item by item: a body holds millions, and each may be a mistake to name. */
import { z } from 'zod';

export function listOf<Item extends z.ZodType>(item: Item, max: number, min = 0) {
  const list = z.array(item).max(max);
  return countedFirst(min > 0 ? list.min(min) : list, max, lengthOf);
}

const lengthOf = (given: unknown) => (Array.isArray(given) ? given.length : 0);

/** @param count how many things a value holds; of one that is nothing of the kind, 0 */
export function countedFirst<Schema extends z.ZodType>(
  schema: Schema,
  max: number,
  count: (given: unknown) => number,
) {
  return z.preprocess((given, context) => {
    if (count(given) <= max) return given;
    context.addIssue({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: given });
    return z.NEVER;
  }, schema);
}
