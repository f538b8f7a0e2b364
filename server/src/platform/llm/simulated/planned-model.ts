/** A model that executes a plan, including its delays. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';
import type { ChatCall, ChatModel, ChatResponse, StreamPiece } from '../chat-model.ts';
import { Completion, type Delta, deltasOf, lengthOf } from './completion.ts';
import { limit } from './limited-response.ts';
import { type Plan, type Planner, refuse } from './plan.ts';

/** Maximum sum of all delays of a response. */
const MAX_DELAY_MS = 60_000;

interface Prepared {
  readonly plan: Plan;
  readonly completion: Completion;
  readonly deltas: readonly Delta[];
  readonly length: number;
}

export function createPlannedModel(planFor: Planner): ChatModel {
  return {
    async complete(call): Promise<ChatResponse> {
      const { plan, completion, deltas, length } = await begin(call, planFor);
      await wait(plan.chunkDelayMs * deltas.length, call.signal);
      if (plan.disconnectAfter !== undefined) throw disconnected();
      return { completion: completion.whole(), usage: completion.usage, outputLength: length };
    },
    async stream(call) {
      return stream(call, await begin(call, planFor));
    },
  };
}

/** Runs everything that can fail before the first byte. */
async function begin(call: ChatCall, planFor: Planner): Promise<Prepared> {
  const n = call.request['n'] ?? 1;
  if (n !== 1) throw refuse('Simulated models give one answer: leave "n" out, or let it be 1.');
  const plan = planFor(call.request, call.retryCount);
  const limited = limit(plan, call.request);
  const deltas = deltasOf(limited, plan.chunkSize);
  const delay = plan.delayMs + plan.chunkDelayMs * deltas.length;
  if (delay > MAX_DELAY_MS)
    throw refuse(
      `The answer's delays add up to ${delay} ms, and may to ${MAX_DELAY_MS}: ` +
        'shorten "delay_ms" or "chunk_delay_ms", or make "chunk_size" larger.',
    );
  await wait(plan.delayMs, call.signal);
  if (plan.error) throw plan.error;
  return { plan, completion: new Completion(call, plan, limited), deltas, length: lengthOf(limited) };
}

async function* stream(
  { signal }: ChatCall,
  { plan, completion, deltas }: Prepared,
): AsyncGenerator<StreamPiece> {
  yield { chunks: [completion.opening()], outputLength: 0 };
  let sentLength = 0;
  for (const delta of deltas) {
    await wait(plan.chunkDelayMs, signal);
    if (sentLength >= (plan.disconnectAfter ?? Infinity)) throw disconnected();
    yield { chunks: [completion.part(delta)], outputLength: delta.length };
    sentLength += delta.length;
  }
  signal.throwIfAborted();
  if (plan.disconnectAfter !== undefined) throw disconnected();
  yield { chunks: completion.closing(), usage: completion.usage, outputLength: 0 };
}

const disconnected = () =>
  new ApiError('bad_gateway_error', 'Simulated: the response broke off, as its script says. Try again.');

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms === 0) return;
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
