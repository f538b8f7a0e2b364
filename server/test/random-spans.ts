/** Generates batches of spans with all features of OTLP from a seed. */
import { Random } from '../fuzz/random.ts';
import {
  type AnyValue,
  type DecodedSpan,
  Double,
  type KeyValue,
  KeyValueList,
  type SpanEvent,
  type SpanLink,
} from '../src/traces/otlp/model.ts';
import type { SpanBatch } from './otlp-messages.ts';

const TEXTS = [
  '',
  'gen_ai.request.model',
  'x',
  'naïve ☃ 𝄞 — “quoted” \\ " \n\t\u0001\u007f\u2028',
  '__proto__',
  'constructor',
  '{"role":"user","content":"{\\"a\\":[1,2]}"}',
  '[{]}',
  'ends with a backslash \\',
  'ü'.repeat(12),
  'ü'.repeat(40),
  'long '.repeat(300),
  '\ufeffmark',
];
const INTEGERS = [
  0,
  1,
  -1,
  127,
  128,
  2 ** 31,
  -(2 ** 31),
  2 ** 32 - 1,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2n ** 53n,
  -(2n ** 53n),
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const DOUBLES = [
  0,
  -0,
  1,
  0.1,
  -1.5,
  1e21,
  5e-324,
  1.7976931348623157e308,
  NaN,
  Infinity,
  -Infinity,
  2 ** 53,
];
const TIMES = [0n, 1n, 1_790_000_000_123_456_789n, 2n ** 63n, 2n ** 64n - 1n];
const COUNTS = [0, 0, 1, 300, 2 ** 31, 2 ** 32 - 1];

export function randomBatches(seed: string): SpanBatch[] {
  const random = new Random(seed, 'spans');
  return many(random, 3, () => ({
    source: {
      resource: {
        attributes: randomAttributes(random, 0),
        droppedAttributesCount: random.pick(COUNTS),
        schemaUrl: random.pick(TEXTS),
      },
      scope: {
        name: random.pick(TEXTS),
        version: random.pick(TEXTS),
        attributes: randomAttributes(random, 0),
        droppedAttributesCount: random.pick(COUNTS),
        schemaUrl: random.pick(TEXTS),
      },
    },
    spans: many(random, 4, () => randomSpan(random)),
  }));
}

function randomSpan(random: Random): DecodedSpan {
  return {
    traceId: randomBytes(random, random.pick([16, 16, 16, 0, 3])),
    spanId: randomBytes(random, random.pick([8, 8, 8, 0, 9])),
    parentSpanId: randomBytes(random, random.pick([8, 0])),
    traceState: random.pick(TEXTS),
    flags: random.pick(COUNTS),
    name: random.pick(TEXTS),
    kind: random.integer(0, 5),
    startTimeUnixNano: random.pick(TIMES),
    endTimeUnixNano: random.pick(TIMES),
    attributes: randomAttributes(random, 0),
    droppedAttributesCount: random.pick(COUNTS),
    events: many(random, 3, () => randomEvent(random)),
    droppedEventsCount: random.pick(COUNTS),
    links: many(random, 3, () => randomLink(random)),
    droppedLinksCount: random.pick(COUNTS),
    statusCode: random.integer(0, 2),
    statusMessage: random.pick(TEXTS),
  };
}

const randomEvent = (random: Random): SpanEvent => ({
  timeUnixNano: random.pick(TIMES),
  name: random.pick(TEXTS),
  attributes: randomAttributes(random, 1),
  droppedAttributesCount: random.pick(COUNTS),
});

const randomLink = (random: Random): SpanLink => ({
  traceId: randomBytes(random, 16),
  spanId: randomBytes(random, 8),
  traceState: random.pick(TEXTS),
  flags: random.pick(COUNTS),
  attributes: randomAttributes(random, 1),
  droppedAttributesCount: random.pick(COUNTS),
});

export const randomAttributes = (random: Random, depth: number): KeyValue[] =>
  many(random, depth > 1 ? 2 : 6, () => ({ key: random.pick(TEXTS), value: randomValue(random, depth) }));

function randomValue(random: Random, depth: number): AnyValue {
  const kind = random.integer(0, depth > 4 ? 5 : 7);
  if (kind === 0) return random.pick(TEXTS);
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick(INTEGERS);
  if (kind === 3) return new Double(random.pick(DOUBLES));
  if (kind === 4) return randomBytes(random, random.integer(0, 40));
  if (kind === 5) return null;
  if (kind === 6) return many(random, 3, () => randomValue(random, depth + 1));
  return new KeyValueList(randomAttributes(random, depth + 2));
}

const randomBytes = (random: Random, length: number) =>
  Uint8Array.from({ length }, () => random.integer(0, 255));

const many = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.integer(0, most) }, make);
