/** Requests with a valid signature whose content does not match, each with the code of its refusal. */
import { CHECKSUM_ALGORITHMS } from '../src/platform/object-storage/embedded/stored-object.ts';
import { type HostileRequest, type HostileWorld, put } from './hostile-world.ts';
import { type ChunkedContent, editBody, type RawRequest, signChunked, withBody } from './s3-requests.ts';

type Headers = Readonly<Record<string, string | undefined>>;

const CHUNKS = ['first '.repeat(20), 'second', 'third!'];
const CRC32 = ['x-amz-checksum-crc32', 'NSRBwg=='] as const; // of 'hello'
const SIGNED: ChunkedContent = { chunks: CHUNKS, isSigned: true };
const SIGNED_TRAILER: ChunkedContent = {
  chunks: ['hello'],
  isSigned: true,
  trailer: ['x-amz-checksum-crc32', 'NhCmhg=='],
};
const TRAILER: ChunkedContent = { ...SIGNED_TRAILER, isSigned: false };

export function chunked(world: HostileWorld, content: ChunkedContent, headers: Headers = {}): RawRequest {
  const request = {
    host: world.host,
    path: `/${world.bucket}/${world.key}`,
    credentials: world.session,
    headers,
  };
  return signChunked(request, content);
}

const whole = (headers: Headers) => (world: HostileWorld) => put(world, { headers });
const edited = (content: ChunkedContent, edit: (body: string) => string) => (world: HostileWorld) =>
  editBody(chunked(world, content), edit);
const announced = (content: ChunkedContent, headers: Headers) => (world: HostileWorld) =>
  chunked(world, content, headers);
const flip = (hex: string) => `${hex.slice(0, -1)}${hex.endsWith('a') ? 'b' : 'a'}`;

/** Checksums that are well formed for their algorithm, but of other content. */
const WRONG: Readonly<Record<(typeof CHECKSUM_ALGORITHMS)[number], string>> = {
  CRC32: Buffer.alloc(4).toString('base64'),
  CRC32C: Buffer.alloc(4).toString('base64'),
  CRC64NVME: Buffer.alloc(8).toString('base64'),
  SHA1: Buffer.alloc(20).toString('base64'),
  SHA256: Buffer.alloc(32).toString('base64'),
};

const WHOLE_CONTENT: readonly HostileRequest[] = [
  ['content of another hash', 'XAmzContentSHA256Mismatch', (w) => withBody(put(w), 'CONTENT')],
  ['an MD5 that is none', 'InvalidDigest', whole({ 'content-md5': 'abc' })],
  ['an MD5 of other content', 'BadDigest', whole({ 'content-md5': Buffer.alloc(16).toString('base64') })],
  ['no length', 'MissingContentLength', whole({ 'content-length': undefined })],
  ['more than is allowed', 'EntityTooLarge', whole({ 'content-length': String(6 * 2 ** 30) })],
  ...CHECKSUM_ALGORITHMS.map(
    (name): HostileRequest => [
      `a ${name} of other content`,
      'BadDigest',
      whole({ [`x-amz-checksum-${name.toLowerCase()}`]: WRONG[name] }),
    ],
  ),
  ['a checksum that is none', 'InvalidRequest', whole({ 'x-amz-checksum-crc32': 'abc' })],
  ['a checksum of another size', 'InvalidRequest', whole({ 'x-amz-checksum-crc32': WRONG.SHA1 })],
  [
    'two checksums',
    'InvalidRequest',
    whole({ 'x-amz-checksum-crc32': WRONG.CRC32, 'x-amz-checksum-sha1': WRONG.SHA1 }),
  ],
  ['an unknown checksum', 'InvalidRequest', whole({ 'x-amz-checksum-crc16': WRONG.CRC32 })],
  ['an algorithm and no checksum', 'InvalidRequest', whole({ 'x-amz-sdk-checksum-algorithm': 'CRC32' })],
  [
    'an algorithm and the checksum of another',
    'InvalidRequest',
    whole({ 'x-amz-sdk-checksum-algorithm': 'SHA1', 'x-amz-checksum-crc32': WRONG.CRC32 }),
  ],
  [
    'a trailer announced for content without',
    'InvalidRequest',
    whole({ 'x-amz-trailer': 'x-amz-checksum-crc32' }),
  ],
];

const CHUNKED_CONTENT: readonly HostileRequest[] = [
  [
    'a first chunk that is changed',
    'SignatureDoesNotMatch',
    edited(SIGNED, (b) => b.replace('first', 'First')),
  ],
  [
    'a last chunk that is changed',
    'SignatureDoesNotMatch',
    edited(SIGNED, (b) => b.replace('third', 'Third')),
  ],
  [
    'a signature of a chunk that is changed',
    'SignatureDoesNotMatch',
    edited(SIGNED, (b) => b.replace(/[\da-f]{64}/, flip)),
  ],
  [
    'a signature of the end that is changed',
    'SignatureDoesNotMatch',
    edited(SIGNED, (b) => b.replace(/[\da-f]{64}(?=\r\n\r\n$)/, flip)),
  ],
  [
    'chunks in another order',
    'SignatureDoesNotMatch',
    edited(SIGNED, (b) => b.replace(/(6;.*\r\nsecond\r\n)(6;.*\r\nthird!\r\n)/, '$2$1')),
  ],
  ['a chunk left out', 'SignatureDoesNotMatch', edited(SIGNED, (b) => b.replace(/6;.*\r\nsecond\r\n/, ''))],
  [
    'a chunk sent twice',
    'SignatureDoesNotMatch',
    edited(SIGNED, (b) => b.replace(/(6;.*\r\nsecond\r\n)(6;.*\r\nthird!\r\n)/, '$1$1')),
  ],
  ['no end', 'IncompleteBody', edited(SIGNED, (b) => b.replace(/0;chunk-signature.*\r\n\r\n$/, ''))],
  ['an end in the middle of a chunk', 'IncompleteBody', edited(SIGNED, (b) => b.slice(0, 150))],
  ['an end in the middle of a line', 'IncompleteBody', edited(SIGNED, (b) => b.slice(0, 20))],
  ['nothing at all', 'IncompleteBody', edited(SIGNED, () => '')],
  ['something after the end', 'InvalidRequest', edited(SIGNED, (b) => `${b}more`)],
  ['something long after the end', 'InvalidRequest', edited(SIGNED, (b) => `${b}${'more '.repeat(500)}`)],
  [
    'chunks without signatures',
    'InvalidRequest',
    edited(SIGNED, (b) => b.replaceAll(/;chunk-signature=\w+/g, '')),
  ],
  ['a size that is none', 'InvalidRequest', edited(SIGNED, (b) => b.replace('6;', 'x6;'))],
  ['a negative size', 'InvalidRequest', edited(SIGNED, (b) => b.replace('6;', '-6;'))],
  ['an enormous size', 'InvalidRequest', edited(SIGNED, (b) => b.replace('6;', 'ffffffffffffffffff;'))],
  ['a size beyond what is announced', 'IncompleteBody', edited(SIGNED, (b) => b.replace('6;', 'ffff;'))],
  ['a size too small', 'SignatureDoesNotMatch', edited(SIGNED, (b) => b.replace('6;', '5;'))],
  ['a line without end', 'InvalidRequest', edited(SIGNED, (b) => `${'0'.repeat(300)}${b}`)],
  [
    'a chunk without its line break',
    'InvalidRequest',
    edited(SIGNED, (b) => b.replace('second\r\n', 'second')),
  ],
  ['a body that is not chunked', 'InvalidRequest', edited(SIGNED, () => 'plain\r\ncontent')],
  [
    'no decoded length',
    'MissingContentLength',
    announced(SIGNED, { 'x-amz-decoded-content-length': undefined }),
  ],
  [
    'a decoded length that is none',
    'InvalidArgument',
    announced(SIGNED, { 'x-amz-decoded-content-length': '0x10' }),
  ],
  [
    'a decoded length that is less',
    'IncompleteBody',
    announced(SIGNED, { 'x-amz-decoded-content-length': '131' }),
  ],
  [
    'a decoded length that is more',
    'IncompleteBody',
    announced(SIGNED, { 'x-amz-decoded-content-length': '133' }),
  ],
  [
    'a decoded length that is too much',
    'EntityTooLarge',
    announced(SIGNED, { 'x-amz-decoded-content-length': String(6 * 2 ** 30) }),
  ],
];

const TRAILERS: readonly HostileRequest[] = [
  ['a trailing checksum of other content', 'BadDigest', announced({ ...TRAILER, trailer: CRC32 }, {})],
  [
    'a signed trailing checksum of other content',
    'BadDigest',
    announced({ ...SIGNED_TRAILER, trailer: CRC32 }, {}),
  ],
  [
    'a signed trailer that is changed',
    'SignatureDoesNotMatch',
    edited(SIGNED_TRAILER, (b) => b.replace('NhCmhg==', CRC32[1])),
  ],
  [
    'a signature of the trailer that is changed',
    'SignatureDoesNotMatch',
    edited(SIGNED_TRAILER, (b) => b.replace(/[\da-f]{64}(?=\r\n\r\n$)/, flip)),
  ],
  [
    'a signed trailer without its signature',
    'MalformedTrailerError',
    edited(SIGNED_TRAILER, (b) => b.replace(/x-amz-trailer-signature.*\r\n/, '')),
  ],
  [
    'a trailing checksum that does not come',
    'MalformedTrailerError',
    edited(TRAILER, (b) => b.replace(/x-amz-checksum.*\r\n/, '')),
  ],
  ['a trailer that is cut', 'InvalidRequest', edited(TRAILER, (b) => b.replace('NhCmhg==', 'NhCm'))],
  [
    'a trailer with another name',
    'MalformedTrailerError',
    edited(TRAILER, (b) => b.replace('crc32', 'sha1')),
  ],
  [
    'a trailer that was not announced',
    'MalformedTrailerError',
    edited(TRAILER, (b) => b.replace(/\r\n$/, 'x-amz-meta-role:admin\r\n\r\n')),
  ],
  [
    'a trailer twice',
    'MalformedTrailerError',
    edited(TRAILER, (b) => b.replace(/(x-amz-checksum.*\r\n)/, '$1$1')),
  ],
  [
    'a trailer without a colon',
    'MalformedTrailerError',
    edited(TRAILER, (b) => b.replace('crc32:', 'crc32 ')),
  ],
  [
    'a trailer of two thousand letters',
    'MalformedTrailerError',
    edited(TRAILER, (b) => b.replace('NhCmhg==', 'A'.repeat(2000))),
  ],
  [
    'unsigned chunks with signatures',
    'InvalidRequest',
    edited(TRAILER, (b) => b.replace('5\r\n', `5;chunk-signature=${'a'.repeat(64)}\r\n`)),
  ],
  [
    'an announced trailer that is no checksum',
    'InvalidRequest',
    announced(TRAILER, { 'x-amz-trailer': 'x-amz-meta-role' }),
  ],
  [
    'two announced trailers',
    'InvalidRequest',
    announced(TRAILER, { 'x-amz-trailer': 'x-amz-checksum-crc32,x-amz-checksum-sha1' }),
  ],
  [
    'a trailing checksum and one in a header',
    'InvalidRequest',
    announced(TRAILER, { 'x-amz-checksum-crc32': WRONG.CRC32 }),
  ],
];

export const HOSTILE_PAYLOADS: readonly HostileRequest[] = [
  ...WHOLE_CONTENT,
  ...CHUNKED_CONTENT,
  ...TRAILERS,
];
