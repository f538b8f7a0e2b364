/** Shapes of OTLP/HTTP in JSON, for the OpenAPI document only; traces/otlp reads the requests. */
import { z } from 'zod';

const Integer64 = z.union([z.string(), z.int()]).describe('A 64-bit integer: as text, or as a number');
const UnixNano = Integer64.describe('Nanoseconds since 1970: as text, or as a number').optional();
const TraceId = z.string().describe('32 hexadecimal digits');
const SpanId = z.string().describe('16 hexadecimal digits');

const OtlpValue = z
  .object({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: Integer64.optional(),
    doubleValue: z
      .union([z.number(), z.string()])
      .optional()
      .describe('A number, or `NaN`, `Infinity`, `-Infinity`'),
    bytesValue: z.string().optional().describe('In base64'),
    get arrayValue() {
      return z.object({ values: z.array(OtlpValue).optional() }).optional();
    },
    get kvlistValue() {
      return z.object({ values: z.array(OtlpAttribute).optional() }).optional();
    },
  })
  .meta({ id: 'OtlpValue', description: 'One of these; none for an empty value' });

const OtlpAttribute = z
  .object({ key: z.string(), value: OtlpValue.optional() })
  .meta({ id: 'OtlpAttribute' });

const attributed = {
  attributes: z.array(OtlpAttribute).optional(),
  droppedAttributesCount: z.int().optional(),
};

const OtlpSpan = z
  .object({
    traceId: TraceId,
    spanId: SpanId,
    parentSpanId: SpanId.optional(),
    traceState: z.string().optional(),
    flags: z.int().optional(),
    name: z.string().optional(),
    kind: z.int().optional().describe('1 internal, 2 server, 3 client, 4 producer, 5 consumer'),
    startTimeUnixNano: UnixNano,
    endTimeUnixNano: UnixNano,
    ...attributed,
    events: z
      .array(z.object({ timeUnixNano: UnixNano, name: z.string().optional(), ...attributed }))
      .optional(),
    droppedEventsCount: z.int().optional(),
    links: z
      .array(
        z.object({
          traceId: TraceId,
          spanId: SpanId,
          traceState: z.string().optional(),
          flags: z.int().optional(),
          ...attributed,
        }),
      )
      .optional(),
    droppedLinksCount: z.int().optional(),
    status: z
      .object({ code: z.int().optional().describe('1 ok, 2 error'), message: z.string().optional() })
      .optional(),
  })
  .meta({ id: 'OtlpSpan' });

const OtlpScopeSpans = z
  .object({
    scope: z
      .object({ name: z.string().optional(), version: z.string().optional(), ...attributed })
      .optional(),
    spans: z.array(OtlpSpan).optional(),
    schemaUrl: z.string().optional(),
  })
  .meta({ id: 'OtlpScopeSpans' });

const OtlpResourceSpans = z
  .object({
    resource: z.object(attributed).optional(),
    scopeSpans: z.array(OtlpScopeSpans).optional(),
    schemaUrl: z.string().optional(),
  })
  .meta({ id: 'OtlpResourceSpans' });

export const ExportTraceRequest = z
  .object({ resourceSpans: z.array(OtlpResourceSpans).optional() })
  .meta({ id: 'ExportTraceRequest', description: 'An ExportTraceServiceRequest of OTLP' });

export const ExportTraceAnswer = z
  .object({
    partialSuccess: z
      .object({
        rejectedSpans: z.string().describe('How many, as a 64-bit integer is written in OTLP'),
        errorMessage: z.string().describe('Why'),
      })
      .optional()
      .describe('Only where spans were rejected'),
  })
  .meta({ id: 'ExportTraceAnswer' });
