/** Where translated models are. */
import type { CalledProvider } from '../provider-errors.ts';

export interface TranslatedProvider extends CalledProvider {
  readonly kind: 'anthropic' | 'google';
  /** What comes before `/messages` and `/models`, with the version of the API. */
  readonly baseUrl: string;
  /** Until the first byte, between any two, and between any two events of a stream that say something. */
  readonly timeoutMs: number;
  /** What Anthropic, which wants a limit, is told where the caller sets none. */
  readonly maxOutputTokens: number;
}
