/** A client that reports model calls by spans, repeats unacknowledged batches, and occasionally repeats acknowledged ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import { type ModelSpan, spansOf } from '../metered-calls.ts';
import type { StormUser } from './caller.ts';

export interface SentSpan {
  readonly user: StormUser;
  readonly span: ModelSpan;
}

/** The call that a span reports: by the id of its response, or by the trace and span id that the call carried. */
export type CallLink = Pick<ModelSpan, 'responseId'> | Pick<ModelSpan, 'traceId' | 'spanId'>;

interface SenderOptions {
  readonly random: Random;
  readonly users: readonly StormUser[];
  /** URL of any running server. */
  readonly url: () => string;
  /** Calls that no span has reported yet. */
  readonly unreported: CallLink[];
}

const MODELS = ['storm/cheap', 'gpt-elsewhere', 'claude-elsewhere', undefined];
const OPERATIONS = ['chat', 'chat', 'chat', 'embeddings', 'rerank', 'execute_tool', 'invoke_agent'];
const RETRY_MS = 50;
const WAIT_TIMEOUT_MS = 60_000;

export class SpanSender {
  /** Acknowledged spans, each once. */
  readonly sent: SentSpan[] = [];
  /** Number of spans sent again after they had been sent or while they were in transit. */
  repeated = 0;
  private readonly options: SenderOptions;
  private last: readonly ModelSpan[] = [];

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** Sends a batch with `count` new spans. */
  async send(count: number): Promise<void> {
    const { random, users } = this.options;
    const user = random.pick(users);
    const spans = Array.from({ length: count }, () => this.newSpan());
    // Some of them are already stored, possibly by another sender.
    const known = random.chance(0.3) ? this.last.slice(0, random.integer(1, 10)) : [];
    const batch = [...known, ...spans];
    this.repeated += known.length;
    const isTwice = random.chance(0.15);
    await Promise.all([this.insist(user, batch), isTwice && this.insist(user, batch)]);
    if (isTwice) this.repeated += batch.length;
    this.sent.push(...spans.map((span) => ({ user, span })));
    this.last = spans;
    if (!random.chance(0.3)) return;
    await this.insist(random.chance(0.7) ? user : random.pick(users), batch);
    this.repeated += batch.length;
  }

  private newSpan(): ModelSpan {
    const { random, unreported } = this.options;
    const hex = (digits: number) => `2${random.text('0123456789abcdef', digits - 1)}`;
    const link = random.chance(0.6)
      ? unreported.splice(random.integer(0, unreported.length - 1), 1)[0]
      : undefined;
    return {
      traceId: hex(32),
      spanId: hex(16),
      startUs: BigInt(Date.now()) * 1_000n + BigInt(random.integer(0, 999)),
      model: random.pick(MODELS),
      inputTokens: random.chance(0.9) ? random.integer(0, 5_000) : undefined,
      outputTokens: random.chance(0.9) ? random.integer(0, 900) : undefined,
      // A binary fraction, so that sums need no rounding.
      costUsd: random.chance(0.3) ? random.integer(1, 640) / 64 : undefined,
      operation: random.pick(OPERATIONS),
      ...link,
    };
  }

  private async insist(user: StormUser, spans: readonly ModelSpan[]): Promise<void> {
    const body = JSON.stringify(spansOf(spans));
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (;;) {
      const response = await this.post(user, body).catch((error: unknown) => String(error));
      if (typeof response !== 'string' && response.status === 200) {
        if (response.text !== '{}') throw new Error(`not all were taken: ${response.text}`);
        return;
      }
      const isTrouble = typeof response === 'string' || response.status >= 500 || response.status === 429;
      if (!isTrouble || performance.now() > deadline) throw new Error(JSON.stringify(response));
      await sleep(RETRY_MS);
    }
  }

  private async post({ key }: StormUser, body: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.options.url()}/api/v1/org/main/otel/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(WAIT_TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  }
}
