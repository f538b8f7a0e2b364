import { constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../platform/errors.ts';
import { inflate } from './content-encoding.ts';

const MIB = 2 ** 20;
const MOST = 4 * MIB;
const CONTENT = Buffer.from(Array.from({ length: 100_000 }, (_, index) => `line ${index * 7919}\n`).join(''));

const PACKED = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
] as const;

function refusalOf(body: Uint8Array, encoding: string | undefined, most = MOST): string {
  try {
    inflate(body, encoding, most);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).type).toBe('invalid_error');
    return (error as ApiError).message;
  }
  throw new Error('It was taken.');
}

test.each([undefined, '', 'identity', 'none', 'Identity'])(
  'content encoding %s leaves the body unchanged',
  (encoding) => {
    expect(inflate(CONTENT, encoding, MOST)).toBe(CONTENT);
    expect(inflate(CONTENT, encoding, CONTENT.length)).toBe(CONTENT);
    expect(refusalOf(CONTENT, encoding, MIB)).toBe(
      'The body unpacks to more than 1 MiB; send fewer spans in one request.',
    );
  },
);

describe.each(PACKED)('%s', (encoding, pack) => {
  const packed = pack(CONTENT);

  test('unpacks to the original content, also from a view of a larger buffer', () => {
    expect(CONTENT.equals(inflate(packed, encoding, MOST))).toBe(true);
    expect(CONTENT.equals(inflate(packed, encoding, CONTENT.length))).toBe(true);
    const larger = new Uint8Array(packed.length + 9);
    larger.set(packed, 4);
    expect(CONTENT.equals(inflate(larger.subarray(4, -5), encoding, MOST))).toBe(true);
  });

  test('unpacks small and empty contents', () => {
    expect(Buffer.from(inflate(pack(Buffer.from('x')), encoding, MOST)).toString()).toBe('x');
    expect(inflate(pack(Buffer.alloc(0)), encoding, MOST)).toHaveLength(0);
    expect(inflate(Buffer.alloc(0), encoding, MOST)).toHaveLength(0);
  });

  test('refuses content one byte over the limit', () => {
    expect(refusalOf(packed, encoding, CONTENT.length - 1)).toMatch('unpacks to more than');
  });

  test('refuses a decompression bomb before it is unpacked', () => {
    const bomb = pack(Buffer.alloc(64 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    const before = process.memoryUsage.rss();
    const message = 'The body unpacks to more than 4 MiB; send fewer spans in one request.';
    expect(refusalOf(bomb, encoding)).toBe(message);
    expect(process.memoryUsage.rss() - before).toBeLessThan(32 * MIB);
  });

  test('refuses a body truncated at any byte', () => {
    const small = pack(CONTENT.subarray(0, 200));
    for (let length = 1; length < small.length; length++)
      expect(refusalOf(small.subarray(0, length), encoding)).toMatch(/^The body (ends before|is not valid)/);
    expect(refusalOf(packed.subarray(0, -1), encoding)).toMatch('ends before');
  });

  test('refuses trailing bytes', () => {
    for (const rest of ['abc', '\0', '\0\0\0\0\0\0\0\0\0\0\0\0'])
      expect(refusalOf(Buffer.concat([packed, Buffer.from(rest)]), encoding)).toMatch(/^The body/);
  });

  test('refuses a body in another encoding', () => {
    expect(refusalOf(Buffer.from('{"resourceSpans":[]}'), encoding)).toMatch(/^The body/);
    const spoiled = Buffer.from(packed);
    spoiled.fill(0x55, 20, 400);
    expect(refusalOf(spoiled, encoding)).toMatch(/^The body/);
  });
});

test('several gzip members and several zstd frames form one content', () => {
  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    const parts = Buffer.concat([pack(Buffer.from('a')), pack(Buffer.alloc(0)), pack(Buffer.from('b'))]);
    expect(Buffer.from(inflate(parts, encoding, 10)).toString()).toBe('ab');
    const twice = Buffer.concat([pack(CONTENT), pack(CONTENT)]);
    expect(inflate(twice, encoding, MOST)).toHaveLength(2 * CONTENT.length);
    expect(refusalOf(twice, encoding, CONTENT.length)).toMatch('unpacks to more');
    expect(refusalOf(twice, encoding, CONTENT.length + 1)).toMatch('unpacks to more');
  }
  const many = Buffer.concat(Array.from({ length: 1001 }, () => zstdCompressSync(Buffer.alloc(0))));
  expect(refusalOf(many, 'zstd')).toMatch('more than 1000 frames');
});

test('the length claimed by gzip is not trusted', () => {
  const lying = gzipSync(CONTENT);
  lying.writeUInt32LE(2 ** 32 - 1, lying.length - 4);
  expect(refusalOf(lying, 'gzip')).toMatch('is not valid gzip');
});

test('a zstd frame cannot request more memory than the coding allows', () => {
  const params = { [constants.ZSTD_c_windowLog]: 27 };
  expect(refusalOf(zstdCompressSync(Buffer.alloc(200 * MIB), { params }), 'zstd', 256 * MIB)).toMatch(
    'window',
  );
});

test.each(['x-gzip', 'GZIP '])('content encoding %s is read as gzip', (encoding) => {
  expect(CONTENT.equals(inflate(gzipSync(CONTENT), encoding, MOST))).toBe(true);
});

test.each(['br', 'gzip, gzip', 'compress', 'x'.repeat(1000)])(
  'content encoding %s is refused',
  (encoding) => {
    const refusal = refusalOf(CONTENT, encoding);
    expect(refusal).toMatch('is not supported here; send gzip, deflate, zstd or none.');
    expect(refusal.length).toBeLessThan(200);
  },
);
