/** Properties that hold for both decoders with any input. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import {
  attributesOf,
  bytesField,
  encodeJson,
  encodeProtobuf,
  encodeSpan,
  makeChatSpan,
  makeSource,
  makeSpan,
  type SpanBatch,
  toDocument,
} from '../../../test/otlp-messages.ts';
import { randomBatches } from '../../../test/random-spans.ts';
import { ApiError } from '../../platform/errors.ts';
import { decodeJson } from './decode-json.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import type { DecodedSpan } from './model.ts';

const ENCODINGS = [
  ['protobuf', encodeProtobuf, decodeProtobuf],
  ['JSON', encodeJson, decodeJson],
] as const;

const itemsOf = (batches: readonly SpanBatch[]) =>
  batches.flatMap(({ source, spans }) => spans.map((span) => ({ source, span })));

/** Repeats the spans of one scope. */
const REPEATED = {
  protobuf: (spans: readonly DecodedSpan[], times: number) => {
    const some = Buffer.concat(spans.map((span) => bytesField(2, encodeSpan(span))));
    return bytesField(1, bytesField(2, Buffer.concat(Array.from({ length: times }, () => some))));
  },
  JSON: (spans: readonly DecodedSpan[], times: number) => {
    const document = toDocument([{ source: makeSource(), spans }]);
    const some = JSON.stringify(document.resourceSpans[0]?.scopeSpans[0]?.spans).slice(1, -1);
    const all = Array.from({ length: times }, () => some).join(',');
    return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${all}]}]}]}`);
  },
};

describe.each(ENCODINGS)('%s', (name, encode, decode) => {
  /** Lets every error except an ApiError propagate. */
  const refuses = (body: Uint8Array): boolean => {
    try {
      for (const { span } of decode(body)) span.name.isWellFormed();
      return false;
    } catch (error) {
      if (error instanceof ApiError) return true;
      throw error;
    }
  };

  test('decoder returns random batches unchanged', () => {
    let spans = 0;
    for (let seed = 0; seed < 400; seed++) {
      const batches = randomBatches(`batch ${seed}`);
      const items = [...decode(encode(batches))];
      expect(items).toStrictEqual(itemsOf(batches));
      spans += items.length;
    }
    expect(spans).toBeGreaterThan(500);
  });

  test('decoder refuses a body truncated at any byte', () => {
    const [batch] = [{ source: makeSource(), spans: [makeChatSpan(1), makeChatSpan(2)] }];
    const body = encode([batch]);
    expect(refuses(body)).toBe(false);
    // An empty body is an empty request in protobuf.
    for (let length = 1; length < body.length; length++) expect(refuses(body.subarray(0, length))).toBe(true);
  });

  test('decoder refuses or reinterprets corrupted bytes without crashing', () => {
    const random = new Random('spoiled', name);
    let refused = 0;
    const samples = Array.from({ length: 40 }, (_, index) => encode(randomBatches(`spoiled ${index}`)));
    for (let round = 0; round < 8000; round++) {
      const body = Buffer.from(random.pick(samples));
      for (let left = random.integer(1, 4); left > 0 && body.length > 0; left--)
        body[random.integer(0, body.length - 1)] = random.pick([
          0,
          0x22,
          0x5b,
          0x7d,
          0x80,
          0xff,
          random.integer(0, 255),
        ]);
      if (refuses(body)) refused++;
    }
    expect(refused).toBeGreaterThan(400);
  });

  test('decoder refuses or reinterprets random bytes without crashing', () => {
    const random = new Random('noise', name);
    for (let round = 0; round < 4000; round++) {
      const alphabet = random.pick(['{}[]",:0e\\ u', '\n\u0012\u001a\u0002\u0001\0\u0008*2J']);
      refuses(Buffer.from(random.text(alphabet, random.integer(0, 60))));
    }
  });

  test('decoder keeps attributes of a megabyte', () => {
    const attributes = attributesOf({
      text: '☃ snow '.repeat(150_000),
      ascii: 'a'.repeat(2 ** 20),
      bytes: new Uint8Array(2 ** 20).fill(7),
      many: Array.from({ length: 100_000 }, (_, index) => index),
      ['k'.repeat(100_000)]: true,
    });
    const batch = { source: makeSource(), spans: [makeSpan(1, { attributes })] };
    expect([...decode(encode([batch]))]).toStrictEqual(itemsOf([batch]));
  });

  test('decoder refuses more than a million spans, even empty ones', () => {
    const body =
      name === 'protobuf'
        ? bytesField(1, bytesField(2, Buffer.alloc(2_000_002, bytesField(2, ''))))
        : Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}${',{}'.repeat(1_000_000)}]}]}]}`);
    expect(() => {
      for (const { span } of decode(body)) if (span.name !== '') throw new Error('It has no name.');
    }).toThrow('more than 1,000,000 resources, scopes and spans');
  });

  test('decoder yields 100,000 spans of one batch one by one', () => {
    const some = Array.from({ length: 1000 }, (_, index) => makeChatSpan(index));
    const body = REPEATED[name](some, 100);
    let count = 0;
    let mostHeap = 0;
    const heapBefore = process.memoryUsage().heapUsed;
    for (const { span } of decode(body)) {
      if (span.attributes.length === 15) count++;
      if (count % 5000 === 0) mostHeap = Math.max(mostHeap, process.memoryUsage().heapUsed - heapBefore);
    }
    expect(count).toBe(100_000);
    // All spans as objects would take several hundred MiB: only uncollected garbage may be in memory.
    expect(mostHeap / 2 ** 20).toBeLessThan(150);
  });
});
