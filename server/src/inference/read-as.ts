/** Validates parts of a request that the schema of its operation leaves open. */
import type { z } from 'zod';
import { type Issue, invalidValues } from '../platform/errors.ts';

type Loc = readonly (string | number)[];

/**
 * @param loc location of the part, starting with `body`
 * @throws {ApiError} `validation_error` that names each mistake
 */
export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown, loc: Loc): z.output<Schema> {
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success) return read.data;
  throw invalidValues(toIssues(loc, read.error));
}

export const toIssues = (loc: Loc, { issues }: z.ZodError): Issue[] =>
  issues.map(({ path, message, code, input }) => ({
    loc: [...loc, ...path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
    msg: message,
    type: input === undefined ? 'missing' : code,
  }));
