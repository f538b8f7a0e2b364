/** Lists in bodies, whose length is checked before their items: a body may hold millions, and each may be a mistake to report. */
import { z } from 'zod';

export function listOf<Item extends z.ZodType>(item: Item, max: number, min = 0) {
  const list = z.array(item).max(max);
  return countedFirst(min > 0 ? list.min(min) : list, max, lengthOf);
}

const lengthOf = (given: unknown) => (Array.isArray(given) ? given.length : 0);

/** @param count number of items in a value; 0 for another kind of value */
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
