/** Runs one sample to its end: attempt after attempt, each continued where a killed worker left it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/errors.ts';
import { SandboxGone } from '../../runtimes/service.ts';
import { END_STATES } from '../item-states.ts';
import { runAgentPhase } from './agent-phase.ts';
import { type Attempt, attemptAbandoned, attemptFailed, beginAttempt, sampleEnded } from './attempt-rows.ts';
import { type ItemContext, SampleCancelled } from './context.ts';
import { toResult } from './sample-result.ts';
import { SetupFailed } from './task-sandbox.ts';
import { verify } from './verify-phase.ts';

/** The organization has no credits: the evaluation pauses. */
export class NoCredits extends Error {}

const BACKOFF_MS = [1_000, 4_000, 15_000, 30_000, 60_000];

/** @throws {NoCredits} after the item was put back */
export async function runItem(context: ItemContext): Promise<void> {
  if (isEnded(context)) return;
  // The cancel was requested while no worker had the sample.
  if (context.item.is_cancelled) return sampleEnded(context, attemptOf(context), CANCELLED);
  let current = context;
  for (let retries = context.item.retry_count; ; retries++) {
    if ((await tryOnce(current)) === 'ended') return;
    await sleep(BACKOFF_MS[retries] ?? 60_000, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.reason instanceof SampleCancelled) return sampleEnded(context, undefined, CANCELLED);
    context.signal.throwIfAborted();
    current = { ...context, item: { ...context.item, ...NOT_BEGUN, retry_count: retries + 1 } };
  }
}

const isEnded = ({ item }: ItemContext) => END_STATES.some((state) => state === item.status);

/** The columns of an item that is queued again, as `NO_OUTCOME` has set them in the database. */
const NOT_BEGUN = {
  status: 'queued',
  attempt_id: null,
  session_id: null,
  agent_sandbox_id: null,
  env_sandbox_id: null,
  agent_started_at: null,
  stop_reason: null,
  error: null,
  answer: null,
} as const;

/** @returns the attempt that another worker has begun */
const attemptOf = ({ item: { attempt_id, session_id } }: ItemContext): Attempt | undefined =>
  attempt_id !== null && session_id !== null ? { id: attempt_id, sessionId: session_id } : undefined;

/** @returns `retry` when the item was queued for another attempt */
async function tryOnce(context: ItemContext): Promise<'ended' | 'retry'> {
  let attempt = attemptOf(context);
  try {
    attempt ??= await beginAttempt(context);
    const verified = await runAgentPhase(context, attempt, (finished) => verify(context, finished));
    await sampleEnded(context, attempt, toResult(context, verified));
    return 'ended';
  } catch (error) {
    return await handleFailure(context, attempt, error);
  }
}

async function handleFailure(
  context: ItemContext,
  attempt: Attempt | undefined,
  error: unknown,
): Promise<'ended' | 'retry'> {
  const { row, signal, item, evaluation, log } = context;
  if (signal.reason instanceof SampleCancelled) {
    await sampleEnded(context, attempt, CANCELLED);
    return 'ended';
  }
  // The job was cancelled, taken over by another worker, or this process stops: the next worker goes on from the stored state.
  row.signal.throwIfAborted();
  if (!isInfrastructure(error)) throw error;
  if (isOutOfCredits(error)) {
    await attemptAbandoned(context, attempt, error.message);
    throw new NoCredits(error.message);
  }
  const { message } = error;
  log.warn({ err: error, item: item.id }, 'an attempt at a sample ended with an infrastructure error');
  const isLast = item.retry_count + 1 > evaluation.request.max_retries || isPermanent(error);
  if (!isLast) {
    await attemptFailed(context, attempt, message);
    return 'retry';
  }
  await sampleEnded(context, attempt, {
    state: 'infra_error',
    passed: null,
    score: null,
    scores: {},
    error: message,
    errorKind: 'infra',
  });
  return 'ended';
}

const CANCELLED = {
  state: 'cancelled',
  passed: null,
  score: null,
  scores: {},
  stopReason: 'cancelled',
  error: null,
  errorKind: null,
} as const;

/** Errors that the sample records as `infra_error`. Every other error is a defect of Drydock and fails the step of the job. */
const isInfrastructure = (error: unknown): error is Error =>
  error instanceof ApiError || error instanceof SandboxGone || error instanceof SetupFailed;

const isOutOfCredits = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.type === 'usage_limit_exceeded_error' &&
  (error.reason === 'insufficient_quota' || /credit/i.test(error.message));

/** Another attempt would fail in the same way: the rights or the model are gone, or the request cannot be satisfied. */
const isPermanent = (error: unknown) =>
  error instanceof ApiError &&
  ['forbidden_error', 'not_found_error', 'validation_error'].includes(error.type);
