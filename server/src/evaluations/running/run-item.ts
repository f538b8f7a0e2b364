/** Runs one sample to its end: attempt after attempt, each continued where a killed worker left it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../platform/errors.ts';
import { END_STATES } from '../item-states.ts';
import { runAgentPhase } from './agent/agent-phase.ts';
import { type Attempt, attemptAbandoned, attemptFailed, beginAttempt, sampleEnded } from './attempt-rows.ts';
import { getRunItem, type ItemContext, SampleCancelled } from './context.ts';
import { isHostTrouble, isInfrastructure } from './sample-sandbox.ts';
import { toResult, verify } from './verification/verify-phase.ts';

/** The organization has no credits: the evaluation pauses. */
export class NoCredits extends Error {}

/** Waits before another attempt, by the number of retries so far. */
const BACKOFF_MS = [1_000, 4_000, 15_000, 30_000, 60_000];
/** Waits before an attempt whose host could not be reached is continued: half a minute in all, less than its sandbox is kept. */
const RESUME_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** @throws {NoCredits} after the item was put back */
export async function runItem(context: ItemContext): Promise<void> {
  if (isEnded(context)) return;
  // The cancel was requested while no worker had the sample.
  if (context.item.is_cancelled) return sampleEnded(context, attemptOf(context), CANCELLED);
  const { signal } = context;
  for (let current = context, resumes = 0; ; ) {
    const next = await tryOnce(current, resumes < RESUME_MS.length);
    if (next === 'ended') return;
    const { retry_count } = current.item;
    const waitMs = next === 'resume' ? RESUME_MS[resumes++] : BACKOFF_MS[retry_count];
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    const item = await getRunItem(context.tools.db, { ...context, id: context.item.id });
    current = { ...context, item };
    if (signal.reason instanceof SampleCancelled) return sampleEnded(current, attemptOf(current), CANCELLED);
    signal.throwIfAborted();
  }
}

/** What follows a try: `ended` nothing, `resume` the same attempt from its stored state, `retry` another attempt. */
type Next = 'ended' | 'resume' | 'retry';

const isEnded = ({ item }: ItemContext) => END_STATES.some((state) => state === item.status);

/** @returns the attempt that another worker has begun */
const attemptOf = ({ item: { attempt_id, session_id } }: ItemContext): Attempt | undefined =>
  attempt_id !== null && session_id !== null ? { id: attempt_id, sessionId: session_id } : undefined;

async function tryOnce(context: ItemContext, canResume: boolean): Promise<Next> {
  let attempt = attemptOf(context);
  try {
    attempt ??= await beginAttempt(context);
    const current = attempt;
    await runAgentPhase(context, current, (finished) =>
      verify(context, current, finished, (verified) =>
        sampleEnded(context, current, toResult(context, verified)),
      ),
    );
    return 'ended';
  } catch (error) {
    if (canResume && isHostTrouble(error) && !context.signal.aborted && (await hasSandbox(context)))
      return 'resume';
    return await handleFailure(context, attempt, error);
  }
}

/** An attempt can only be continued once its agent has begun in a sandbox that the item knows. */
async function hasSandbox(context: ItemContext): Promise<boolean> {
  const { status } = await getRunItem(context.tools.db, { ...context, id: context.item.id });
  return status === 'agent_running' || status === 'agent_finished' || status === 'verifying';
}

async function handleFailure(
  context: ItemContext,
  attempt: Attempt | undefined,
  error: unknown,
): Promise<Next> {
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
  const message = describe(error);
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

/** The message of an invalid request only counts its mistakes, so they are listed after it. */
function describe(error: Error): string {
  const issues = (error instanceof ApiError && error.issues) || [];
  return [error.message, ...issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}.`)].join(' ');
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

export const isOutOfCredits = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  error.type === 'usage_limit_exceeded_error' &&
  (error.reason === 'insufficient_quota' || /credit/i.test(error.message));

/** Another attempt would fail in the same way: the rights or the model are gone, or the request cannot be satisfied. */
const isPermanent = (error: unknown) =>
  error instanceof ApiError &&
  ['forbidden_error', 'not_found_error', 'validation_error'].includes(error.type);
