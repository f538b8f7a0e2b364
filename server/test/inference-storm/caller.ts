/** One model call, and what its caller knows of it afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallPlan, estimatedTokens, isSimulated, requestOf, type Tokens, WORD } from './plans.ts';

export interface StormUser {
  readonly id: string;
  readonly key: string;
}

/** `whole`: received to the last byte; `refused`: received a complete error; `broken`: anything less. */
export type Outcome =
  | { readonly kind: 'whole'; readonly completionId: string; readonly tokens: Tokens }
  | { readonly kind: 'refused'; readonly status: number; readonly type: string }
  | { readonly kind: 'broken' };

export interface CallNote {
  readonly plan: CallPlan;
  readonly user: StormUser;
  readonly sentAt: number;
  readonly endedAt: number;
  /** Id of the call, if the caller received it. */
  readonly callId: string | undefined;
  readonly outcome: Outcome;
}

const WAIT_TIMEOUT_MS = 60_000;
const DONE = 'data: [DONE]\n\n';

export async function makeCall(url: string, user: StormUser, plan: CallPlan): Promise<CallNote> {
  const sentAt = Date.now();
  const leaving = new AbortController();
  const { leaves } = plan;
  // A hanging provider may send nothing at all.
  const isTimed = leaves && (!leaves.isAfterFirst || plan.deed === 'hang');
  const timer = isTimed ? setTimeout(() => leaving.abort(), leaves.afterMs + 10) : undefined;
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(WAIT_TIMEOUT_MS)]);
  let callId: string | undefined;
  let received: Received | undefined;
  try {
    const response = await send(url, user, plan, signal);
    callId = response.headers.get('x-drydock-call-id') ?? undefined;
    received = { status: response.status, text: await listen(response, plan, leaving) };
  } catch {
    // The caller has disconnected, or its server was killed.
  }
  clearTimeout(timer);
  return { plan, user, sentAt, endedAt: Date.now(), callId, outcome: judge(plan, received) };
}

function send(url: string, user: StormUser, plan: CallPlan, signal: AbortSignal): Promise<Response> {
  return fetch(`${url}/api/v1/org/main/inference/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      ...(plan.isNamedInHeader && { traceparent: `00-${plan.traceId}-${plan.spanId}-01` }),
    },
    body: JSON.stringify(requestOf(plan)),
    signal,
  });
}

interface Received {
  readonly status: number;
  readonly text: string;
}

async function listen(response: Response, { leaves }: CallPlan, leaving: AbortController): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (!leaves?.isAfterFirst) continue;
    await sleep(leaves.afterMs);
    leaving.abort();
  }
  return text;
}

function judge(plan: CallPlan, received: Received | undefined): Outcome {
  if (!received) return { kind: 'broken' };
  const { status, text } = received;
  if (status !== 200) {
    const { type } = JSON.parse(text) as { type: string };
    return { kind: 'refused', status, type };
  }
  if (!plan.isStreamed) {
    const { id, usage } = JSON.parse(text) as Completion;
    return toWhole(plan, id, usage);
  }
  if (!text.endsWith(DONE)) return { kind: 'broken' };
  const chunks = text
    .slice(0, -DONE.length)
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Completion);
  const ids = new Set(chunks.map(({ id }) => id));
  if (ids.size !== 1) throw new Error(`a stream with ${ids.size} ids: ${text}`);
  return toWhole(plan, chunks[0]?.id ?? '', chunks.findLast(({ usage }) => usage)?.usage);
}

interface Completion {
  readonly id: string;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

/** A simulated model reports its own usage; that of the others is known beforehand. */
function toWhole(plan: CallPlan, completionId: string, usage: Completion['usage']): Outcome {
  if (!isSimulated(plan)) {
    const tokens = plan.deed === 'keep quiet' ? estimatedTokens(plan, WORD.length * plan.words) : plan.tokens;
    return { kind: 'whole', completionId, tokens };
  }
  if (!usage) throw new Error('a simulated model reports its usage');
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return { kind: 'whole', completionId, tokens: { input, output, cacheRead: 0, cacheCreation: 0 } };
}
