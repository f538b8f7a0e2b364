/** Normalizes the base URL of a provider. */
import { z } from 'zod';

const RULE = 'must be an http or https address without a user, a query or a fragment';

/** Normalized spelling: lower case where case is irrelevant, and no trailing slashes. */
export const BaseUrl = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[^\s\\?#@]+$/, RULE)
  .refine(isPlainUrl, RULE)
  .transform(toCanonicalUrl)
  .meta({ format: 'uri' });

/** Refuses input that the URL parser would silently fix, such as a tab or a second slash. */
function isPlainUrl(text: string): boolean {
  return URL.canParse(text) && !/^https?:\/\/\//.test(text);
}

function toCanonicalUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}
