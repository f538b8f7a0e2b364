/**
 * Batches of spans that no SDK sends: hostile texts, known keys with values of any type, numbers outside an enum; generated from a seed.
 */
import { Random } from '../fuzz/random.ts';
import {
  type AnyValue,
  type DecodedSpan,
  Double,
  type KeyValue,
  KeyValueList,
  type SpanSource,
} from '../src/traces/otlp/model.ts';
import { makeSource, makeSpan, type SpanBatch } from './otlp-messages.ts';

const TEXTS = [
  '',
  'plain',
  'Grüße 🌍',
  'a\0b',
  'half \ud83d',
  '"quoted" \\ \n\t\u2028',
  '[{"role":"user","content":"hi"}]',
];
const INTEGERS = [
  0,
  1,
  -1,
  42,
  2 ** 31,
  Number.MAX_SAFE_INTEGER,
  2n ** 53n + 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const DOUBLES = [0, -0, 1, 0.1, -2.5, 1e21, 5e-324, 1.7976931348623157e308, Number.NaN, Infinity, -Infinity];
/** A selection of known keys, so that each occurs with every type. */
const KEYS = [
  'key',
  'key',
  '',
  'Schlüssel',
  'bytesValue',
  'kvlistValue',
  'gen_ai.operation.name',
  'gen_ai.request.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.conversation.id',
  'gen_ai.input.messages',
  'gen_ai.prompt.0.content',
  'openinference.span.kind',
  'llm.token_count.prompt',
  'llm.input_messages.0.message.content',
  'input.value',
  'session.id',
];
const TIMES = [
  0n,
  1n,
  999n,
  1_790_000_000_123_456_789n,
  253_402_300_800_000_000_000n % 2n ** 64n,
  2n ** 64n - 1n,
];
const MAX_DEPTH = 4;

export function oddBatches(seed: string): SpanBatch[] {
  const random = new Random(seed, 'spans');
  let index = 0;
  return Array.from({ length: random.integer(1, 4) }, () => ({
    source: oddSource(random),
    spans: Array.from({ length: random.integer(0, 12) }, () => oddSpan(random, index++)),
  }));
}

function oddSource(random: Random): SpanSource {
  const attributes = oddAttributes(random);
  const counts = { droppedAttributesCount: random.integer(0, 3) };
  const schemaUrl = random.pick(TEXTS);
  const scope = {
    name: random.pick(TEXTS),
    version: random.pick(TEXTS),
    attributes: oddAttributes(random),
  };
  const source = makeSource(attributes, { ...scope, ...counts, schemaUrl });
  return { ...source, resource: { ...source.resource, ...counts, schemaUrl: random.pick(TEXTS) } };
}

function oddSpan(random: Random, index: number): DecodedSpan {
  const list = <T>(most: number, item: () => T) => Array.from({ length: random.integer(0, most) }, item);
  const id = (length: number) => new Uint8Array(Array.from({ length }, () => random.integer(1, 255)));
  const attributes = () => oddAttributes(random);
  const droppedAttributesCount = random.pick([0, 1, 2 ** 32 - 1]);
  return makeSpan(index, {
    traceId: id(16),
    spanId: id(8),
    parentSpanId: id(random.pick([0, 8])),
    traceState: random.pick(['', 'a=b']),
    flags: random.pick([0, 1, 2 ** 32 - 1]),
    name: random.pick(TEXTS),
    kind: random.integer(0, 7),
    startTimeUnixNano: random.pick(TIMES),
    endTimeUnixNano: random.pick(TIMES),
    attributes: attributes(),
    droppedAttributesCount,
    events: list(3, () => ({
      timeUnixNano: random.pick(TIMES),
      name: random.pick([...TEXTS, 'gen_ai.user.message', 'gen_ai.choice']),
      attributes: attributes(),
      droppedAttributesCount,
    })),
    droppedEventsCount: random.integer(0, 1),
    links: list(2, () => ({
      traceId: id(random.pick([16, 16, 3])),
      spanId: id(random.pick([8, 8, 0])),
      traceState: random.pick(TEXTS),
      flags: random.pick([0, 257]),
      attributes: attributes(),
      droppedAttributesCount,
    })),
    droppedLinksCount: random.integer(0, 1),
    statusCode: random.integer(0, 4),
    statusMessage: random.pick(TEXTS),
  });
}

function oddAttributes(random: Random, depth = 0): KeyValue[] {
  return Array.from({ length: random.integer(0, depth === 0 ? 8 : 3) }, () => ({
    key: random.pick(KEYS),
    value: oddValue(random, depth),
  }));
}

function oddValue(random: Random, depth: number): AnyValue {
  const isDeep = depth >= MAX_DEPTH;
  return random.weighted<() => AnyValue>([
    [4, () => random.pick(TEXTS)],
    [3, () => random.pick(INTEGERS)],
    [3, () => new Double(random.pick(DOUBLES))],
    [2, () => random.chance(0.5)],
    [2, () => new Uint8Array(Array.from({ length: random.integer(0, 5) }, () => random.integer(0, 255)))],
    [1, () => null],
    [isDeep ? 0 : 3, () => Array.from({ length: random.integer(0, 3) }, () => oddValue(random, depth + 1))],
    [isDeep ? 0 : 3, () => new KeyValueList(oddAttributes(random, depth + 1))],
  ])();
}
