/** Model calls as the gateway records them in its ledger, and spans as programs send them. */
import type { BegunCall, CallEnd } from '../src/inference/call-ledger.ts';
import type { OfferedModel, Price } from '../src/inference/offered-model.ts';
import { uuidv7 } from '../src/platform/uuid.ts';

const nobody = () => Promise.reject(new Error('the test makes no call here'));

export function offeredModel(id: string, price: Partial<Price> = {}): OfferedModel {
  const { input_price = 0, output_price = 0 } = price;
  return {
    id,
    name: id.slice(id.indexOf('/') + 1),
    price: {
      input_price,
      output_price,
      cache_read_price: price.cache_read_price ?? input_price,
      cache_creation_price: price.cache_creation_price ?? input_price,
    },
    maxOutputTokens: 1_000,
    isSimulated: true,
    chat: { complete: nobody, stream: nobody },
  };
}

export type CallOf = Pick<BegunCall, 'organizationId' | 'userId'> & Partial<BegunCall>;

export const begunCall = (call: CallOf): BegunCall => ({
  id: uuidv7(),
  model: offeredModel('sim/echo'),
  isStreamed: false,
  links: { sessionId: null, traceId: null, spanId: null },
  sandboxId: null,
  startedAt: new Date().toISOString(),
  atMost: { inputTokens: 1_000, outputTokens: 1_000 },
  ...call,
});

export const callEnd = (inputTokens: number, outputTokens: number, end: Partial<CallEnd> = {}): CallEnd => ({
  status: 'completed',
  errorType: null,
  usage: { inputTokens, outputTokens, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  isEstimated: false,
  firstByteMs: 5,
  durationMs: 10,
  ...end,
});

/** Returns the response id that the gateway gives a call. */
export const completionIdOf = (callId: string) => `chatcmpl-${callId.replaceAll('-', '')}`;

export interface ModelSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  /** The span kind of OTLP. */
  readonly kind?: number;
  readonly isError?: boolean;
  /** Microseconds since 1970. */
  readonly startUs: bigint;
  readonly model?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly responseId?: string | undefined;
  readonly operation?: string;
  readonly provider?: string | undefined;
  /** Output in the OpenInference attribute. */
  readonly outputValue?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly workspace?: string;
}

/** An OTLP request body. */
export const spansOf = (spans: readonly ModelSpan[]) => ({
  resourceSpans: spans.map((span) => ({
    resource: {
      attributes: attributesOf({ 'service.name': 'agent', 'drydock.workspace': span.workspace }),
    },
    scopeSpans: [{ spans: [toSpan(span)] }],
  })),
});

const toSpan = (span: ModelSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
  name: 'call',
  kind: span.kind ?? 1,
  status: { code: span.isError ? 2 : 0 },
  startTimeUnixNano: String(span.startUs * 1_000n),
  endTimeUnixNano: String(span.startUs * 1_000n + 1_000_000n),
  attributes: attributesOf({
    'gen_ai.operation.name': span.operation ?? 'chat',
    'gen_ai.provider.name': span.provider,
    'gen_ai.request.model': span.model,
    'gen_ai.usage.input_tokens': span.inputTokens,
    'gen_ai.usage.output_tokens': span.outputTokens,
    'gen_ai.usage.cost': span.costUsd,
    'gen_ai.response.id': span.responseId,
    'gen_ai.conversation.id': span.sessionId,
    'output.value': span.outputValue,
  }),
});

const attributesOf = (values: Readonly<Record<string, string | number | undefined>>) =>
  Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    return { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
  });

export const randomHex = (bytes: number) =>
  Array.from({ length: bytes }, () =>
    Math.floor(1 + Math.random() * 255)
      .toString(16)
      .padStart(2, '0'),
  ).join('');
