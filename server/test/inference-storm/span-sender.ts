/** A program that tells of calls of models by spans, again and again where it got no answer, and now and then where it did. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import { type ModelSpan, spansOf } from '../metered-calls.ts';
import type { StormUser } from './caller.ts';

export interface SentSpan {
  readonly user: StormUser;
  readonly span: ModelSpan;
}

/** What a span may tell of: a call by the id of its answer, or by the ids that the call was given. */
export type Told = Pick<ModelSpan, 'responseId'> | Pick<ModelSpan, 'traceId' | 'spanId'>;

interface SenderOptions {
  readonly random: Random;
  readonly users: readonly StormUser[];
  /** Of any server that runs. */
  readonly url: () => string;
  /** Calls that nobody has told of yet. */
  readonly untold: Told[];
}

const MODELS = ['storm/cheap', 'gpt-elsewhere', 'claude-elsewhere', undefined];
const OPERATIONS = ['chat', 'chat', 'chat', 'embeddings', 'rerank', 'execute_tool', 'invoke_agent'];
const RETRY_MS = 50;
const PATIENCE_MS = 60_000;

export class SpanSender {
  /** Those that were acknowledged, each once. */
  readonly sent: SentSpan[] = [];
  /** How often a span was sent that had been before, or was on its way. */
  repeated = 0;
  private readonly options: SenderOptions;
  private last: readonly ModelSpan[] = [];

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** A batch of so many new ones. */
  async send(count: number): Promise<void> {
    const { random, users } = this.options;
    const user = random.pick(users);
    const spans = Array.from({ length: count }, () => this.newSpan());
    // Some of them are known already, whoever sent them.
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
    const { random, untold } = this.options;
    const hex = (digits: number) => `2${random.text('0123456789abcdef', digits - 1)}`;
    const told = random.chance(0.6) ? untold.splice(random.integer(0, untold.length - 1), 1)[0] : undefined;
    return {
      traceId: hex(32),
      spanId: hex(16),
      startUs: BigInt(Date.now()) * 1_000n + BigInt(random.integer(0, 999)),
      model: random.pick(MODELS),
      inputTokens: random.chance(0.9) ? random.integer(0, 5_000) : undefined,
      outputTokens: random.chance(0.9) ? random.integer(0, 900) : undefined,
      // A binary fraction, which no sum rounds.
      costUsd: random.chance(0.3) ? random.integer(1, 640) / 64 : undefined,
      operation: random.pick(OPERATIONS),
      ...told,
    };
  }

  private async insist(user: StormUser, spans: readonly ModelSpan[]): Promise<void> {
    const body = JSON.stringify(spansOf(spans));
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.post(user, body).catch((error: unknown) => String(error));
      if (typeof answer !== 'string' && answer.status === 200) {
        if (answer.text !== '{}') throw new Error(`not all were taken: ${answer.text}`);
        return;
      }
      const isTrouble = typeof answer === 'string' || answer.status >= 500 || answer.status === 429;
      if (!isTrouble || performance.now() > deadline) throw new Error(JSON.stringify(answer));
      await sleep(RETRY_MS);
    }
  }

  private async post({ key }: StormUser, body: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.options.url()}/api/v1/org/main/otel/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, text: await response.text() };
  }
}
