/** Counts usage independently, from the records of callers, provider and span senders, and compares it with the server's. */
import { expect } from 'vitest';
import type { Random } from '../../fuzz/random.ts';
import { completionIdOf } from '../metered-calls.ts';
import type { CallRow } from './books.ts';
import type { CallNote, StormUser } from './caller.ts';
import { costOf, creditsOf, DOLLAR } from './plans.ts';
import type { SentSpan } from './span-sender.ts';

/** A call that is counted. */
interface Counted {
  readonly user: string;
  readonly us: bigint;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cost: bigint;
  readonly credits: number;
}

/**
 * Returns calls as their callers recorded them if they read the whole response, otherwise as the gateway recorded them, and spans that
 * report no call.
 */
export function countAll(
  notes: readonly CallNote[],
  rows: readonly CallRow[],
  spans: readonly SentSpan[],
): Counted[] {
  const received = new Map(notes.map((note) => [note.plan.traceId, note]));
  const calls = rows.flatMap((row) => {
    const note = received.get(row.trace_id);
    const tokens = note?.outcome.kind === 'whole' ? note.outcome.tokens : row.usage?.tokens;
    if (!note || !tokens) return [];
    const cost = costOf(note.plan.model, tokens);
    return {
      user: note.user.id,
      us: BigInt(row.started_ms) * 1_000n,
      model: note.plan.model,
      input: tokens.input,
      output: tokens.output,
      cost,
      credits: creditsOf(cost),
    };
  });
  return [...calls, ...countSpans(rows, spans)];
}

function countSpans(rows: readonly CallRow[], spans: readonly SentSpan[]): Counted[] {
  const completionIds = new Set(rows.map(({ id }) => completionIdOf(id)));
  const named = new Set(rows.map(({ trace_id, span_id }) => `${trace_id} ${span_id}`));
  return spans.flatMap(({ user, span }) => {
    if (!['chat', 'embeddings', 'rerank'].includes(span.operation ?? '')) return [];
    if (completionIds.has(span.responseId ?? '') || named.has(`${span.traceId} ${span.spanId}`)) return [];
    const { inputTokens: input = 0, outputTokens: output = 0, model = 'unknown', costUsd = 0 } = span;
    const cost = (BigInt(costUsd * 64) * DOLLAR) / 64n;
    return { user: user.id, us: span.startUs, model, input, output, cost, credits: 0 };
  });
}

interface Sums {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly request_count: number;
  readonly credits: number;
  readonly cost_usd: number;
}

function sumUp(counted: readonly Counted[]): Sums {
  let [input, output, credits, cost] = [0, 0, 0, 0n];
  for (const one of counted) {
    input += one.input;
    output += one.output;
    credits += one.credits;
    cost += one.cost;
  }
  const fraction = String(cost % DOLLAR).padStart(String(DOLLAR).length - 1, '0');
  return {
    input_tokens: input,
    output_tokens: output,
    request_count: counted.length,
    credits,
    cost_usd: Number(`${cost / DOLLAR}.${fraction}`),
  };
}

export interface UsageResponse {
  readonly models: readonly (Sums & { readonly model: string; readonly total_tokens: number })[];
  readonly total_cost_usd: number;
  readonly total_credits: number;
  readonly total_input_tokens: number;
  readonly total_output_tokens: number;
  readonly total_request_count: number;
}

const toModel = (model: string, sums: Sums) => ({
  model,
  ...sums,
  total_tokens: sums.input_tokens + sums.output_tokens,
});

function expectedOf(counted: readonly Counted[]): UsageResponse {
  const byModel = [...Map.groupBy(counted, ({ model }) => model)];
  const models = byModel.map(([model, own]) => toModel(model, sumUp(own)));
  const total = sumUp(counted);
  return {
    models: models.toSorted((a, b) => b.total_tokens - a.total_tokens || (a.model < b.model ? -1 : 1)),
    total_cost_usd: total.cost_usd,
    total_credits: total.credits,
    total_input_tokens: total.input_tokens,
    total_output_tokens: total.output_tokens,
    total_request_count: total.request_count,
  };
}

interface AuditOptions {
  readonly counted: readonly Counted[];
  readonly users: readonly StormUser[];
  readonly random: Random;
  readonly windows: number;
  /** Calls the usage operation as the owner. */
  readonly read: (query: URLSearchParams) => Promise<UsageResponse>;
}

/** Compares the usage of each user, of all users, and of windows that begin and end at a call or anywhere. */
export async function auditUsage({ counted, users, random, windows, read }: AuditOptions): Promise<void> {
  const moments = counted.map(({ us }) => us).toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  const [first = 0n, last = 0n] = [moments[0], moments.at(-1)];
  const check = async (user: string, from: bigint, to: bigint) => {
    const query = new URLSearchParams({ user_id: user, start_date: toMoment(from), end_date: toMoment(to) });
    const own = counted.filter(
      (one) => (user === 'all' || one.user === user) && one.us >= from && one.us <= to,
    );
    expect(await read(query), query.toString()).toMatchObject(expectedOf(own));
  };
  const who = ['all', ...users.map(({ id }) => id)];
  for (const user of who) await check(user, first, last);
  const anywhere = () => first + BigInt(random.integer(0, Number(last - first)));
  for (let window = 0; window < windows; window++) {
    const pick = () => (random.chance(0.5) ? random.pick(moments) : anywhere());
    const [one, other] = [pick(), pick()];
    await check(random.pick(who), one < other ? one : other, one < other ? other : one);
  }
}

const toMoment = (us: bigint) =>
  `${new Date(Number(us / 1_000n)).toISOString().slice(0, -1)}${String(us % 1_000n).padStart(3, '0')}Z`;
