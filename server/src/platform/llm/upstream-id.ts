/** What a provider calls its answer, where that can be told in a header. */
import { type CalledProvider, removeKey } from './provider-errors.ts';

export function toUpstreamId({ apiKey }: CalledProvider, id: unknown): string | undefined {
  const isTellable = typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id);
  return isTellable && removeKey(id, apiKey) === id ? id : undefined;
}
