/** Returns the provider's id of a response, when it is valid in a header. */
import { type CalledProvider, holdsKey } from './provider-errors.ts';

export function toUpstreamId(provider: CalledProvider, id: unknown): string | undefined {
  const isPrintable = typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id);
  return isPrintable && !holdsKey(id, provider) ? id : undefined;
}
