/** Valid OTLP ids have the right length and are not all zeros. */
import type { DecodedSpan } from '../otlp/model.ts';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

export const isTraceId = (id: Uint8Array) => id.length === TRACE_ID_BYTES && !isZero(id);
export const isSpanId = (id: Uint8Array) => id.length === SPAN_ID_BYTES && !isZero(id);

/** Returns whether the span can be stored. An all-zero parent id means no parent, like a missing one. */
export const hasGoodIds = ({ traceId, spanId, parentSpanId }: DecodedSpan) =>
  isTraceId(traceId) &&
  isSpanId(spanId) &&
  (parentSpanId.length === 0 || parentSpanId.length === SPAN_ID_BYTES);

/** @returns null for a root */
export const findParent = ({ parentSpanId }: DecodedSpan): Uint8Array | null =>
  isZero(parentSpanId) ? null : parentSpanId;

function isZero(id: Uint8Array): boolean {
  for (const byte of id) if (byte !== 0) return false;
  return true;
}
