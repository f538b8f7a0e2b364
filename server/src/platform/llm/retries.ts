/** Retries of a call that has no response yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundError } from '../net/outbound-error.ts';
import { type Refusal, toRetryAfterSeconds } from './provider-errors.ts';

/** Delays before each retry; a short delay requested by the provider takes precedence. */
const BACKOFF_MS = [200, 800];
const MAX_WAIT_SECONDS = 5;

/** Reason of a failed attempt. */
export interface FailedTry {
  readonly error: unknown;
  /** Minimum delay before a retry may help; undefined: a retry would not help. */
  readonly waitMs: number | undefined;
}

/** A gateway in front of the model timed out: the model may still be running and charging. */
const GATEWAY_TIMEOUT = 504;

type Refused = Pick<Refusal, 'status' | 'retryAfter' | 'shouldRetry'>;

/** Returns the delay after a refusal; undefined when a retry would be refused as well, or this request may have been processed. */
export function waitAfterRefusal({ status, retryAfter, shouldRetry }: Refused): number | undefined {
  const seconds = toRetryAfterSeconds(retryAfter) ?? 0;
  const isFailure = status >= 500 && status !== GATEWAY_TIMEOUT;
  const isPassing = (status === 408 || status === 429 || isFailure) && shouldRetry !== 'false';
  return isPassing && seconds <= MAX_WAIT_SECONDS ? seconds * 1000 : undefined;
}

/** Retries only requests that cannot have been processed: a call made twice is charged twice. */
export function waitAfterFailure(error: unknown): number | undefined {
  const isPassing =
    error instanceof OutboundError && (error.failure === 'unreachable' || error.failure === 'broken');
  return isPassing ? 0 : undefined;
}

/** @param once receives the remaining time */
export async function tryRepeatedly<Result extends object>(
  timeoutMs: number,
  signal: AbortSignal,
  once: (leftMs: number) => Promise<Result | FailedTry>,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (let tried = 0; ; tried++) {
    const outcome = await once(Math.max(1, deadline - performance.now()));
    if (!('waitMs' in outcome)) return outcome;
    const backoff = BACKOFF_MS[tried];
    if (backoff === undefined || outcome.waitMs === undefined) throw outcome.error;
    const wait = Math.max(outcome.waitMs, backoff * (0.75 + Math.random() / 2));
    if (performance.now() + wait >= deadline) throw outcome.error;
    await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
