/** Connection settings of translated models. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CalledProvider } from '../provider-errors.ts';

export interface TranslatedProvider extends CalledProvider {
  readonly kind: 'anthropic' | 'google';
  /** URL before `/messages` and `/models`, including the API version. */
  readonly baseUrl: string;
  /** Timeout for the first byte, between any two bytes, and between any two events of a stream with content. */
  readonly timeoutMs: number;
  /** Output limit sent to Anthropic, which requires one, when the caller sets none. */
  readonly maxOutputTokens: number;
}

export type FetchFunction = typeof globalThis.fetch;

interface ProviderSettings {
  readonly baseURL: string;
  /** Never undefined, since the SDK would read the key from the environment of this process. */
  readonly apiKey: string;
  readonly fetch: FetchFunction;
}

export async function openProviderModel(
  kind: TranslatedProvider['kind'],
  name: string,
  settings: ProviderSettings,
): Promise<LanguageModelV4> {
  if (kind === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(settings)(name);
  }
  const { createGoogle } = await import('@ai-sdk/google');
  return createGoogle(settings)(name);
}
