/** Further tries of a call that has not been answered yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboundError } from '../net/outbound-error.ts';
import { type Refusal, toRetryAfterSeconds } from './provider-errors.ts';

/** Before each further try; a provider that says how long to wait is obeyed, where that is short. */
const BACKOFF_MS = [200, 800];
const MAX_WAIT_SECONDS = 5;

/** Why a try failed. */
export interface FailedTry {
  readonly error: unknown;
  /** For how long to wait at least until another may help; undefined: it would not. */
  readonly waitMs: number | undefined;
}

/** A gateway has waited in vain: behind it the model may well be at work, and is paid for. */
const GATEWAY_TIMEOUT = 504;

type Refused = Pick<Refusal, 'status' | 'retryAfter' | 'shouldRetry'>;

/** How long to wait after a refusal; undefined where the next request would be refused as well, or this one may have been answered. */
export function waitAfterRefusal({ status, retryAfter, shouldRetry }: Refused): number | undefined {
  const seconds = toRetryAfterSeconds(retryAfter) ?? 0;
  const isFailure = status >= 500 && status !== GATEWAY_TIMEOUT;
  const isPassing = (status === 408 || status === 429 || isFailure) && shouldRetry !== 'false';
  return isPassing && seconds <= MAX_WAIT_SECONDS ? seconds * 1000 : undefined;
}

/** Only what nobody can have worked on is sent once more: a call that is made twice is paid for twice. */
export function waitAfterFailure(error: unknown): number | undefined {
  const isPassing =
    error instanceof OutboundError && (error.failure === 'unreachable' || error.failure === 'broken');
  return isPassing ? 0 : undefined;
}

/** @param once is told how much of the time is left */
export async function tryRepeatedly<Answer extends object>(
  timeoutMs: number,
  signal: AbortSignal,
  once: (leftMs: number) => Promise<Answer | FailedTry>,
): Promise<Answer> {
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
