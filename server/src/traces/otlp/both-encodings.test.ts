/** What holds of both decoders, whatever they are given. */
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

/** The spans of one scope so many times. */
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
  /** Anything but an ApiError comes out. */
  const refuses = (body: Uint8Array): boolean => {
    try {
      for (const { span } of decode(body)) span.name.isWellFormed();
      return false;
    } catch (error) {
      if (error instanceof ApiError) return true;
      throw error;
    }
  };

  test('random batches come out as they went in', () => {
    let spans = 0;
    for (let seed = 0; seed < 400; seed++) {
      const batches = randomBatches(`batch ${seed}`);
      const items = [...decode(encode(batches))];
      expect(items).toStrictEqual(itemsOf(batches));
      spans += items.length;
    }
    expect(spans).toBeGreaterThan(500);
  });

  test('cut off at any byte, it is refused', () => {
    const [batch] = [{ source: makeSource(), spans: [makeChatSpan(1), makeChatSpan(2)] }];
    const body = encode([batch]);
    expect(refuses(body)).toBe(false);
    // Nothing at all is an empty request in protobuf.
    for (let length = 1; length < body.length; length++) expect(refuses(body.subarray(0, length))).toBe(true);
  });

  test('spoiled bytes are refused or read as something else, and nothing worse', () => {
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

  test('noise is refused or read as something else, and nothing worse', () => {
    const random = new Random('noise', name);
    for (let round = 0; round < 4000; round++) {
      const alphabet = random.pick(['{}[]",:0e\\ u', '\n\u0012\u001a\u0002\u0001\0\u0008*2J']);
      refuses(Buffer.from(random.text(alphabet, random.integer(0, 60))));
    }
  });

  test('attributes of a megabyte are kept', () => {
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

  test('more spans than a million are refused, also empty ones', () => {
    const body =
      name === 'protobuf'
        ? bytesField(1, bytesField(2, Buffer.alloc(2_000_002, bytesField(2, ''))))
        : Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}${',{}'.repeat(1_000_000)}]}]}]}`);
    expect(() => {
      for (const { span } of decode(body)) if (span.name !== '') throw new Error('It has no name.');
    }).toThrow('more than 1,000,000 resources, scopes and spans');
  });

  test('100,000 spans in one batch, one after another', () => {
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
    // As objects they are several hundred: only garbage that was not collected yet may be there.
    expect(mostHeap / 2 ** 20).toBeLessThan(150);
  });
});
