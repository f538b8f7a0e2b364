/** Field types that recur in request and response schemas, each with its rule. */
import { z } from 'zod';

export const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any id of the 8-4-4-4-12 form, whatever its version; stored in lower case, as PostgreSQL returns it. */
export const Uuid = z.guid().toLowerCase();

/** Accepts any offset, and stores UTC with milliseconds; the year must have four digits in UTC too. */
export const DateTime = z.iso
  .datetime({ offset: true })
  .refine(isStorable, 'must lie between the years 1 and 9999')
  .transform((text) => new Date(text).toISOString());

function isStorable(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** For responses: these values come from the database and need no validation. */
export const Id = z.string().meta({ format: 'uuid' });
export const Timestamp = z.string().meta({ format: 'date-time' });

export const isSlug = (text: string) => slugPattern.test(text);

export const isUuid = (text: string) => uuidPattern.test(text);

/** A key that can be used in place of a uuid must not look like one. */
export const Slug = z
  .string()
  .regex(slugPattern, 'must be 1 to 63 lower-case letters, digits or dashes, not starting with a dash')
  .refine((key) => !isUuid(key), 'must not have the form of a uuid');

export const Name = z.string().trim().min(1).max(255);

export const Description = z.string().max(2_000);

/** Derives a slug from a name; empty when no character can be kept. */
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
