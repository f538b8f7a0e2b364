/** A batch of spans as an exporter sends it, encoded once: only its ids and times are rewritten for each request. */
import { randomFillSync } from 'node:crypto';
import { bytesField, textField } from './protobuf-fields.ts';
import {
  makeSpan,
  PARENT_ID_AT,
  SPAN_ID_AT,
  SPANS_PER_TRACE,
  type SpanSample,
  TRACE_ID_AT,
  text,
} from './span-samples.ts';

const SPAN_MS = 3;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

interface PlacedSpan {
  readonly sample: SpanSample;
  /** Offset in the batch. */
  readonly at: number;
}

export class SpanBatch {
  /** An ExportTraceServiceRequest. */
  readonly bytes: Buffer;
  readonly spans: readonly PlacedSpan[];

  constructor(count: number, instance: number) {
    const spans = Array.from({ length: count }, (_, number) => makeSpan(number));
    const fields = spans.map(({ bytes }) => bytesField(2, bytes));
    const scope = bytesField(
      1,
      textField(1, 'opentelemetry.instrumentation.anthropic'),
      textField(2, '0.47.3'),
    );
    const scopeSpans = bytesField(2, scope, ...fields);
    this.bytes = bytesField(1, resourceOf(instance), scopeSpans);
    // Nothing follows the spans, so that they are found from the end.
    let at = this.bytes.length - fields.reduce((sum, { length }) => sum + length, 0);
    this.spans = spans.map((sample, index) => {
      at += fields[index]?.length ?? 0;
      return { sample, at: at - sample.bytes.length };
    });
  }

  /**
   * Rewrites all of its spans as new ones of new traces.
   * @returns the concatenated ids of the traces
   */
  renew(): Buffer {
    const { bytes, spans } = this;
    const traceIds = randomFillSync(Buffer.alloc(Math.ceil(spans.length / SPANS_PER_TRACE) * TRACE_ID_BYTES));
    const spanIds = randomFillSync(Buffer.alloc(spans.length * SPAN_ID_BYTES));
    const now = BigInt(Date.now()) * 1_000_000n;
    for (const [number, { at, sample }] of spans.entries()) {
      const trace = Math.floor(number / SPANS_PER_TRACE);
      traceIds.copy(bytes, at + TRACE_ID_AT, trace * TRACE_ID_BYTES, (trace + 1) * TRACE_ID_BYTES);
      spanIds.copy(bytes, at + SPAN_ID_AT, number * SPAN_ID_BYTES, (number + 1) * SPAN_ID_BYTES);
      const root = trace * SPANS_PER_TRACE * SPAN_ID_BYTES;
      if (sample.hasParent) spanIds.copy(bytes, at + PARENT_ID_AT, root, root + SPAN_ID_BYTES);
      const start = now - BigInt((spans.length - number) * SPAN_MS * 1_000_000 - number);
      bytes.writeBigUInt64LE(start, at + sample.startAt);
      bytes.writeBigUInt64LE(start + BigInt(SPAN_MS * 1_000_000), at + sample.endAt);
    }
    return traceIds;
  }
}

const resourceOf = (instance: number) =>
  bytesField(
    1,
    ...[
      text('service.name', 'research-agent'),
      text('service.instance.id', `instance-${instance}`),
      text('telemetry.sdk.language', 'python'),
      text('telemetry.sdk.name', 'opentelemetry'),
      text('telemetry.sdk.version', '1.39.1'),
    ].map((one) => bytesField(1, one)),
  );
