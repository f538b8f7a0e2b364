/** Batches of spans from many concurrent clients, and a check that the acknowledged ones are stored. */
import type pg from 'pg';
import { SpanSender, type SpanTarget } from './span-sender.ts';
import { percentile } from './statistics.ts';

const TRACE_ID_BYTES = 16;

/** Batches with a successful response. */
export class Acknowledged {
  spans = 0;
  private readonly traceIds: Buffer[] = [];

  add(traceIds: Buffer, spans: number): void {
    this.spans += spans;
    this.traceIds.push(traceIds);
  }

  /** @returns the number of stored spans in the acknowledged traces; each batch has traces of its own */
  async countStored(pool: pg.Pool): Promise<number> {
    const ids = this.traceIds.flatMap((row) =>
      Array.from({ length: row.length / TRACE_ID_BYTES }, (_, index) =>
        row.subarray(index * TRACE_ID_BYTES, (index + 1) * TRACE_ID_BYTES),
      ),
    );
    const { rows } = await pool.query<{ stored: string }>(
      `SELECT count(*) AS stored FROM unnest($1::bytea[]) AS sent (trace_id)
         JOIN spans AS s ON s.organization_id = (SELECT id FROM organizations WHERE key = 'main')
                        AND s.trace_id = sent.trace_id`,
      [ids],
    );
    return Number(rows[0]?.stored);
  }
}

/** The outcome of a load. */
export class Responses {
  readonly byStatus = new Map<number, number>();
  readonly milliseconds: number[] = [];
  /** Refusals for overload without a Retry-After header. */
  withoutRetryAfter = 0;
  /** Connections that ended without a response. */
  broken = 0;
  sentSpans = 0;
  seconds = 0;

  of(status: number): number {
    return this.byStatus.get(status) ?? 0;
  }

  /** All outcomes other than success and refusal for overload. */
  get others(): number {
    const all = this.byStatus.values().reduce((sum, count) => sum + count, 0);
    return all - this.of(200) - this.of(429);
  }

  get p50Ms(): number {
    return percentile(this.milliseconds, 0.5);
  }

  get p99Ms(): number {
    return percentile(this.milliseconds, 0.99);
  }
}

export function openSenders(target: SpanTarget, count: number, spans: number): SpanSender[] {
  return Array.from({ length: count }, (_, instance) => new SpanSender(target, spans, instance));
}

/** Each client sends the next batch after the response to the last. A refused batch is repeated unchanged without a pause. */
export async function sendFor(
  senders: readonly SpanSender[],
  seconds: number,
  acknowledged: Acknowledged,
): Promise<Responses> {
  const responses = new Responses();
  const started = performance.now();
  const isTime = () => performance.now() - started < seconds * 1000;
  const loop = async (sender: SpanSender) => {
    while (isTime()) {
      const traceIds = sender.batch.renew();
      while (!(await sendOnce(sender, traceIds, acknowledged, responses)) && isTime());
    }
  };
  await Promise.all(senders.map(loop));
  responses.seconds = (performance.now() - started) / 1000;
  return responses;
}

/** @returns whether it was acknowledged */
export async function sendOnce(
  sender: SpanSender,
  traceIds: Buffer,
  acknowledged: Acknowledged,
  responses: Responses,
): Promise<boolean> {
  const spans = sender.batch.spans.length;
  const sent = performance.now();
  responses.sentSpans += spans;
  try {
    const { status, retryAfter } = await sender.send();
    responses.byStatus.set(status, responses.of(status) + 1);
    if (status === 429 && !(Number(retryAfter) > 0)) responses.withoutRetryAfter++;
    if (status !== 200) return false;
  } catch {
    responses.broken++;
    return false;
  }
  responses.milliseconds.push(performance.now() - sent);
  acknowledged.add(traceIds, spans);
  return true;
}
