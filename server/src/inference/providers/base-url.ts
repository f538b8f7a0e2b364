/** The base URL of a provider, in one spelling. */
import { z } from 'zod';

const RULE = 'must be an http or https address without a user, a query or a fragment';

/** Kept in one spelling: in lower case as far as case does not matter, and without slashes at its end. */
export const BaseUrl = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[^\s\\?#@]+$/, RULE)
  .refine(isPlainUrl, RULE)
  .transform(toCanonicalUrl)
  .meta({ format: 'uri' });

/** What the parser of URLs would pass over in silence, such as a tab or a second slash, is refused. */
function isPlainUrl(text: string): boolean {
  return URL.canParse(text) && !/^https?:\/\/\//.test(text);
}

function toCanonicalUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}
