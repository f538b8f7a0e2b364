/** The OTLP data model: both decoders produce exactly this, whatever the encoding. */

/** An int64 is a number when that is exact, else a bigint; a double is distinguished from it by its class. */
export type AnyValue =
  | string
  | boolean
  | number
  | bigint
  | Double
  | Uint8Array
  | readonly AnyValue[]
  | KeyValueList
  | null;

export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export class KeyValueList {
  readonly entries: readonly KeyValue[];

  constructor(entries: readonly KeyValue[]) {
    this.entries = entries;
  }
}

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** Source of spans: a resource, and an instrumentation scope within it. */
export interface SpanSource {
  readonly resource: {
    readonly attributes: readonly KeyValue[];
    readonly droppedAttributesCount: number;
    readonly schemaUrl: string;
  };
  readonly scope: {
    readonly name: string;
    readonly version: string;
    readonly attributes: readonly KeyValue[];
    readonly droppedAttributesCount: number;
    readonly schemaUrl: string;
  };
}

export interface SpanEvent {
  readonly timeUnixNano: bigint;
  readonly name: string;
  readonly attributes: readonly KeyValue[];
  readonly droppedAttributesCount: number;
}

export interface SpanLink {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly traceState: string;
  readonly flags: number;
  readonly attributes: readonly KeyValue[];
  readonly droppedAttributesCount: number;
}

/** Ids are kept as received; the code that stores the span checks their lengths. */
export interface DecodedSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  /** Empty for a root span. */
  readonly parentSpanId: Uint8Array;
  readonly traceState: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: readonly KeyValue[];
  readonly droppedAttributesCount: number;
  readonly events: readonly SpanEvent[];
  readonly droppedEventsCount: number;
  readonly links: readonly SpanLink[];
  readonly droppedLinksCount: number;
  readonly statusCode: number;
  readonly statusMessage: string;
}

/**
 * Yields one span at a time, so that a batch is never completely in memory; spans of one source are consecutive and share the same object.
 */
export type SpanStream = Iterable<{ readonly source: SpanSource; readonly span: DecodedSpan }>;
