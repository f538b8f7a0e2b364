/** The kinds of field that recur in wire shapes, each with its rule. */
import { z } from 'zod';

export const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any id of the 8-4-4-4-12 form, whatever its version; kept in lower case, as PostgreSQL gives it back. */
export const Uuid = z.guid().toLowerCase();

/** Taken with any offset, kept in UTC with milliseconds; a year of four digits there too. */
export const DateTime = z.iso
  .datetime({ offset: true })
  .refine(isStorable, 'must lie between the years 1 and 9999')
  .transform((text) => new Date(text).toISOString());

function isStorable(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** In answers: they come from the database and need no checking again. */
export const Id = z.string().meta({ format: 'uuid' });
export const Timestamp = z.string().meta({ format: 'date-time' });

export const isSlug = (text: string) => slugPattern.test(text);

export const isUuid = (text: string) => uuidPattern.test(text);

/** A key that also has a uuid beside it must not look like one. */
export const Slug = z
  .string()
  .regex(slugPattern, 'must be 1 to 63 lower-case letters, digits or dashes, not starting with a dash')
  .refine((key) => !isUuid(key), 'must not have the form of a uuid');

export const Name = z.string().trim().min(1).max(255);

export const Description = z.string().max(2_000);

/** The slug that a name suggests; empty when nothing of it can be kept. */
export function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
}
