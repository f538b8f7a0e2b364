/** Calls of the attacker and the judge, and of targets that are models, through the gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutOfCredits, toModelResponse } from '../../evaluations/service.ts';
import type { Inference } from '../../inference/service.ts';
import type { ModelResponse } from '../../platform/agent/ports.ts';
import { ApiError } from '../../platform/errors.ts';
import { creatorScope, type FindingContext, OutOfBudget } from './context.ts';
import type { MadeCall } from './journal.ts';

/** Delays before a failed call is made again: three calls in all. */
const BACKOFF_MS = [1_000, 4_000];

export type ChatFields = Parameters<Inference['callModel']>[0]['request'];

/**
 * @returns the response, or the error of the provider, which belongs to the trial
 * @throws {OutOfBudget} without credits, and errors that no trial caused
 */
export async function callModel(
  context: FindingContext,
  request: ChatFields,
  toText: (response: ModelResponse) => string = ({ content }) => content,
): Promise<MadeCall> {
  try {
    const response = await callWithRetries(context, request);
    return { response: toText(response), error: null, details: null, costUsd: response.usage?.cost_usd ?? 0 };
  } catch (error) {
    context.signal.throwIfAborted();
    if (isOutOfCredits(error)) throw new OutOfBudget('credits', error.message);
    if (!(error instanceof ApiError) || error.type === 'forbidden_error') throw error;
    return { response: null, error: `${request.model}: ${error.message}`, details: null, costUsd: 0 };
  }
}

async function callWithRetries(context: FindingContext, request: ChatFields): Promise<ModelResponse> {
  const { tools, organizationId, assessment, signal } = context;
  for (const waitMs of [...BACKOFF_MS, undefined]) {
    // `callModel` does not check rights, so they are checked before credits are spent.
    await creatorScope(context);
    try {
      const called = await tools.inference.callModel({
        organizationId,
        userId: assessment.created_by,
        request,
        links: { sessionId: null, traceId: null, spanId: null },
        signal,
      });
      return toModelResponse(called);
    } catch (error) {
      if (waitMs === undefined || isOutOfCredits(error) || !isTransient(error)) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
  throw new Error('unreachable');
}

const isTransient = (error: unknown) =>
  error instanceof ApiError && (error.status >= 500 || error.status === 429);

/** Simulated models always get a seed; providers only get one that the user gave. */
export function seedFields({ assessment }: FindingContext, model: string, offset: number) {
  const { seed, hasSeed } = assessment.execution;
  return hasSeed || model.startsWith('sim/') ? { seed: seed + offset } : {};
}
