/** What a provider calls its answer, where that can be told in a header. */
import { type CalledProvider, holdsKey } from './provider-errors.ts';

export function toUpstreamId(provider: CalledProvider, id: unknown): string | undefined {
  const isTellable = typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id);
  return isTellable && !holdsKey(id, provider) ? id : undefined;
}
