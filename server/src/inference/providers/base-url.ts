/** Where a provider is: an address of the public internet, whatever way it is written. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isPublicAddress } from '../../platform/net/addresses.ts';

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

/** Names that are never of the public internet. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * Whether its host may be one of the public internet. What its name resolves to is looked at whenever it is called: a name may
 * lead elsewhere tomorrow.
 */
export function isPublicUrl(url: string): boolean {
  // The parser has made one spelling of all those that an address has: decimal, hexadecimal, octal, shortened.
  const host = new URL(url).hostname.replace(/\.+$/, '');
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isPublicAddress(address);
  return host.includes('.') && !PRIVATE_NAME.test(host);
}
