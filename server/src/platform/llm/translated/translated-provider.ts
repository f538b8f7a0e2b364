/** Connection settings of translated models. */
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
