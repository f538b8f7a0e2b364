/** Exporters that know what must be stored: a batch without a response is repeated until it has one. */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { DecodedSpan } from '../src/traces/otlp/model.ts';
import {
  attributesOf,
  encodeJson,
  encodeProtobuf,
  makeChatSpan,
  makeSource,
  makeSpan,
} from './otlp-messages.ts';

/** Sends a batch of spans. Rejects if there is no response. */
export type SendSpans = (
  body: Buffer,
  headers: Record<string, string>,
) => Promise<{ readonly status: number; readonly retryAfter: string | null; readonly body: Buffer }>;

export interface SentTrace {
  readonly traceId: Uint8Array;
  /** The conversation that the spans of this trace name, if any. */
  readonly conversationId: string | undefined;
}

interface Batch {
  readonly spans: readonly DecodedSpan[];
  readonly body: Buffer;
  readonly headers: Record<string, string>;
}

const RETRY_MS = 50;
/** Far above the duration of a start: only a server that does not come back reaches it. */
const WAIT_TIMEOUT_MS = 60_000;
/** So many spans that they are not stored in one batch. */
const LARGE = 2_500;

export class TraceWriter {
  /** `repetition`: sent again after an unknown outcome; `echo`: sent again although it was acknowledged. */
  readonly counts = { batch: 0, repetition: 0, echo: 0, refusal: 0 };
  readonly acknowledged: DecodedSpan[] = [];
  private readonly shared: readonly SentTrace[];
  private last: Batch | undefined;

  /** @param shared traces to which other writers add as well */
  constructor(shared: readonly SentTrace[]) {
    this.shared = shared;
  }

  /** Writes one batch after the other until the signal; completes what it has begun. */
  async write(send: SendSpans, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.step(send);
  }

  private async step(send: SendSpans): Promise<void> {
    if (this.last && randomInt(5) === 0) {
      await this.insist(send, this.last);
      this.counts.echo++;
      return;
    }
    const spans = this.newSpans();
    // Some of these are already stored.
    const known = randomInt(3) === 0 ? (this.last?.spans ?? []).slice(0, 20) : [];
    const batch = encode([...known, ...spans]);
    await this.insist(send, batch);
    this.acknowledged.push(...spans);
    this.last = batch;
    this.counts.batch++;
  }

  private newSpans(): DecodedSpan[] {
    const count = randomInt(40) === 0 ? LARGE : 1 + randomInt(60);
    const own = newTrace();
    return Array.from({ length: count }, (_, index) =>
      newSpan(index % 4 === 0 ? (this.shared[randomInt(this.shared.length)] ?? own) : own),
    );
  }

  private async insist(send: SendSpans, { body, headers }: Batch): Promise<void> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (;;) {
      const response = await send(body, headers).catch((error: unknown) => String(error));
      if (typeof response !== 'string' && response.status === 200) {
        const text = response.body.toString();
        if (text !== '' && text !== '{}') throw new Error(`not all were taken: ${text}`);
        return;
      }
      this.judge(response);
      if (performance.now() > deadline) throw new Error(`in vain: ${JSON.stringify(response)}`);
      await sleep(RETRY_MS);
    }
  }

  /** Only failures of a killed server and refusals for lack of capacity are expected. */
  private judge(response: Awaited<ReturnType<SendSpans>> | string): void {
    if (typeof response === 'string' || response.status >= 500) this.counts.repetition++;
    else if (response.status === 429 && Number(response.retryAfter) > 0) this.counts.refusal++;
    else throw new Error(`${response.status} (${response.retryAfter}): ${response.body.toString()}`);
  }
}

export const newTrace = (conversationId?: string): SentTrace => ({
  traceId: randomBytes(16),
  conversationId,
});

/** Spans of every kind: with and without tokens, costs, errors, parents; the figures add up without rounding. */
export function newSpan({ traceId, conversationId }: SentTrace): DecodedSpan {
  const number = randomInt(1_000);
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000));
  const fields = {
    traceId,
    spanId: randomBytes(8),
    parentSpanId: number % 5 === 0 ? new Uint8Array(0) : randomBytes(8),
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano + BigInt(number) * 1_000_000n,
    statusCode: number % 10 === 0 ? 2 : 0,
  };
  const attributes = attributesOf({
    ...(conversationId && { 'gen_ai.conversation.id': conversationId }),
    ...(number % 2 === 0 && { 'gen_ai.usage.cost': number / 64 }),
  });
  const span = number % 3 === 0 ? makeSpan(number, fields) : makeChatSpan(number, fields);
  const others = span.attributes.filter(({ key }) => key !== 'gen_ai.conversation.id');
  return { ...span, attributes: [...others, ...attributes] };
}

/** Uses either encoding, compressed or not. */
function encode(spans: readonly DecodedSpan[]): Batch {
  const isJson = randomInt(2) === 0;
  const isPacked = randomInt(2) === 0;
  const batches = [{ source: makeSource(), spans }];
  const body = isJson ? encodeJson(batches) : encodeProtobuf(batches);
  return {
    spans,
    body: isPacked ? gzipSync(body) : body,
    headers: {
      'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    },
  };
}
