/** Maps errors of the AI SDK to errors for the caller. */
import { AISDKError, APICallError } from '@ai-sdk/provider';
import { ApiError } from '../../errors.ts';
import { OutboundError } from '../../net/outbound-error.ts';
import {
  type CalledProvider,
  type Refusal,
  removeKey,
  toGarbageError,
  toNoResponseError,
  toRefusalError,
} from '../provider-errors.ts';
import { type FailedTry, waitAfterFailure, waitAfterRefusal } from '../retries.ts';
import { Unreadable } from './exchange.ts';
import { refused, TOO_DEEP } from './request-schema.ts';

/** Maps an error from before anything was sent, which is mostly caused by the request. */
export function toRequestError(provider: CalledProvider, error: unknown): Error {
  if (error instanceof ApiError) return error;
  if (error instanceof RangeError) return refused([], TOO_DEEP);
  const text = removeKey(error instanceof Error ? error.message : String(error), provider.apiKey).slice(
    0,
    1_000,
  );
  const isJudged = AISDKError.isInstance(error) || (error instanceof Error && error.name === 'ZodError');
  // Omits the cause, which may contain the key and the conversation.
  return isJudged
    ? refused([], `The provider ${provider.name} cannot be asked this: ${text}`)
    : new Error(text);
}

/** Maps later errors. Only the error of the connection is kept as a cause. */
export function toProviderError(provider: CalledProvider, error: unknown): ApiError {
  const own = findCause(error, ApiError);
  if (own) return own;
  const refusal = findRefusal(error);
  if (refusal) return toRefusalError(provider, refusal);
  const outbound = findCause(error, OutboundError);
  if (outbound) return toNoResponseError(provider, outbound);
  const unreadable = findCause(error, Unreadable);
  return toGarbageError(provider, unreadable?.message ?? 'answered something that is no answer of a model');
}

/** @param hasResponse true when the provider had begun to respond: then the call is charged, and not retried */
export function toFailedTry(provider: CalledProvider, error: unknown, hasResponse: boolean): FailedTry {
  const mapped = toProviderError(provider, error);
  const refusal = findRefusal(error);
  // Anthropic reports an overload in the first event of a stream, which does not count as a response.
  if (refusal) return { error: mapped, waitMs: waitAfterRefusal(refusal) };
  return {
    error: mapped,
    waitMs: hasResponse ? undefined : waitAfterFailure(findCause(error, OutboundError)),
  };
}

/** Handles errors sent as events of a stream as well, which are not instances of `Error`. */
function findRefusal(error: unknown): Refusal | undefined {
  if (!APICallError.isInstance(error) && error instanceof Error) return undefined;
  const { statusCode, message, responseBody, responseHeaders } = fieldsOf(error);
  // An unreadable response has a successful status.
  if (typeof statusCode !== 'number' || statusCode < 300) return undefined;
  const text = [responseBody, message].find((text) => typeof text === 'string') ?? '';
  const headers = fieldsOf(responseHeaders);
  const headerOf = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  // Google reports an invalid key as an invalid request.
  const status = statusCode === 400 && text.includes('API_KEY_INVALID') ? 401 : statusCode;
  return { status, text, retryAfter: headerOf('retry-after'), shouldRetry: headerOf('x-should-retry') };
}

function findCause<Kind extends Error>(
  error: unknown,
  kind: new (...args: never[]) => Kind,
): Kind | undefined {
  let found = error;
  // Limited, in case the causes form a cycle.
  for (let depth = 0; depth < 10 && found instanceof Error; depth++) {
    if (found instanceof kind) return found;
    found = found.cause;
  }
  return undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
