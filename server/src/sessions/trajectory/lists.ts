/** Lists whose validation stops after enough errors: reporting millions of errors would take gigabytes. */
import { z } from 'zod';

const MAX_NAMED = 100;

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(z.unknown()).transform((given, context) => {
    const items: z.output<Item>[] = [];
    for (const [index, value] of given.entries()) {
      const { data, error } = item.safeParse(value, { reportInput: true });
      if (error) context.issues.push(...error.issues.map((issue) => placed(issue, index)));
      else items.push(data);
      if (context.issues.length >= MAX_NAMED) break;
    }
    return items;
  });

const placed = (issue: z.core.$ZodIssue, index: number) =>
  ({ ...issue, path: [index, ...issue.path] }) as z.core.$ZodRawIssue;

const isList = (value: unknown, isItem: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(isItem);

/** Reports one error for the whole list, which may have an item for each token. */
export const Integers = z.custom<number[]>(
  (value) => isList(value, Number.isSafeInteger),
  'must be a list of whole numbers',
);
export const Numbers = z.custom<number[]>(
  (value) => isList(value, Number.isFinite),
  'must be a list of numbers',
);
