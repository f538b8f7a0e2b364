/** Why a provider's model did not answer, as the AI SDK tells it, and what that is to the caller. */
import { AISDKError, APICallError } from '@ai-sdk/provider';
import { ApiError } from '../../errors.ts';
import { OutboundError } from '../../net/outbound-error.ts';
import {
  type CalledProvider,
  type Refusal,
  removeKey,
  toGarbageError,
  toRefusalError,
  toUnansweredError,
} from '../provider-errors.ts';
import { type FailedTry, waitAfterFailure, waitAfterRefusal } from '../retries.ts';
import { Unreadable } from './exchange.ts';
import { refused, TOO_DEEP } from './request-schema.ts';

/** What was thrown before anything was sent: mostly the fault of the request. */
export function toRequestError(provider: CalledProvider, error: unknown): Error {
  if (error instanceof ApiError) return error;
  if (error instanceof RangeError) return refused([], TOO_DEEP);
  const text = removeKey(error instanceof Error ? error.message : String(error), provider.apiKey).slice(
    0,
    1_000,
  );
  const isJudged = AISDKError.isInstance(error) || (error instanceof Error && error.name === 'ZodError');
  // Without its cause, which may hold the key and the conversation.
  return isJudged
    ? refused([], `The provider ${provider.name} cannot be asked this: ${text}`)
    : new Error(text);
}

/** What was thrown since. Nothing of it is kept as a cause, but what the connection failed with. */
export function toProviderError(provider: CalledProvider, error: unknown): ApiError {
  const own = findCause(error, ApiError);
  if (own) return own;
  const refusal = findRefusal(error);
  if (refusal) return toRefusalError(provider, refusal);
  const outbound = findCause(error, OutboundError);
  if (outbound) return toUnansweredError(provider, outbound);
  const unreadable = findCause(error, Unreadable);
  return toGarbageError(provider, unreadable?.message ?? 'answered something that is no answer of a model');
}

/** @param hasAnswer whether the provider had begun to answer: then it is paid for, and not asked again */
export function toFailedTry(provider: CalledProvider, error: unknown, hasAnswer: boolean): FailedTry {
  const mapped = toProviderError(provider, error);
  const refusal = findRefusal(error);
  // Anthropic says in the first event of a stream that it is overloaded: that is no answer yet.
  if (refusal) return { error: mapped, waitMs: waitAfterRefusal(refusal) };
  return { error: mapped, waitMs: hasAnswer ? undefined : waitAfterFailure(findCause(error, OutboundError)) };
}

/** Also where it came as an event of a stream, which is no `Error`. */
function findRefusal(error: unknown): Refusal | undefined {
  if (!APICallError.isInstance(error) && error instanceof Error) return undefined;
  const { statusCode, message, responseBody, responseHeaders } = fieldsOf(error);
  // An answer that cannot be read has the status of a good one.
  if (typeof statusCode !== 'number' || statusCode < 300) return undefined;
  const text = [responseBody, message].find((said) => typeof said === 'string') ?? '';
  const headers = fieldsOf(responseHeaders);
  const headerOf = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  // Google calls a wrong key a mistake of the request.
  const status = statusCode === 400 && text.includes('API_KEY_INVALID') ? 401 : statusCode;
  return { status, text, retryAfter: headerOf('retry-after'), shouldRetry: headerOf('x-should-retry') };
}

function findCause<Kind extends Error>(
  error: unknown,
  kind: new (...args: never[]) => Kind,
): Kind | undefined {
  let found = error;
  // Not for ever, should they go in a circle.
  for (let depth = 0; depth < 10 && found instanceof Error; depth++) {
    if (found instanceof kind) return found;
    found = found.cause;
  }
  return undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
