/** The AI SDK's models by kind of provider, loaded when the first one of a kind is called. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { TranslatedProvider } from './translated-provider.ts';

export type FetchFunction = typeof globalThis.fetch;

export interface ProviderSettings {
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
