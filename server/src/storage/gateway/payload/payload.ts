/** Decodes and verifies the content of a request as a stream. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ChecksumAlgorithm } from '../../../platform/object-storage/embedded/stored-object.ts';
import type { Authenticated } from '../authentication/authenticate.ts';
import type { PayloadKind } from '../authentication/payload-kind.ts';
import { S3Error } from '../s3-error.ts';
import { ChunkedBody, incompleteBody } from './chunked-body.ts';
import { ChecksumCheck, type ContentCheck, listDigestChecks } from './content-checks.ts';
import { findDeclaredChecksum, toChecksumHeader } from './declared-checksum.ts';

/** The parts of a node:http request that are needed. */
export type PayloadRequest = Pick<IncomingMessage, 'headers' | 'iterator'>;

export interface PayloadOptions {
  readonly maxBytes: number;
  /** Algorithm of a checksum to compute when the request does not declare one. */
  readonly extraAlgorithm?: ChecksumAlgorithm | undefined;
}

export interface PayloadChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64. */
  readonly value: string;
}

export interface Payload {
  /** Can be read once. Throws an S3Error before its end when anything is wrong. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly decodedLength: number;
  /** Algorithm of the checksum that the request declares. */
  readonly declaredAlgorithm: ChecksumAlgorithm | undefined;
  /** Available after the body has ended. */
  checksum(): PayloadChecksum | undefined;
}

/** @throws S3Error immediately for errors in the headers */
export function readPayload(
  request: PayloadRequest,
  { payload: kind }: Pick<Authenticated, 'payload'>,
  { maxBytes, extraAlgorithm }: PayloadOptions,
): Payload {
  const decodedLength = readLength(request.headers, kind, maxBytes);
  const declared = findDeclaredChecksum(request.headers);
  const isTrailing = declared !== undefined && declared.value === undefined;
  if (isTrailing && !(kind.kind === 'chunked' && kind.hasTrailer))
    throw new S3Error('InvalidRequest', 'x-amz-trailer needs content that is sent with trailers.');
  const algorithm = declared?.algorithm ?? extraAlgorithm;
  const checksum = algorithm && new ChecksumCheck(algorithm, declared?.value);
  const checks = listDigestChecks(request.headers, kind);
  if (checksum) checks.push(checksum);
  const content =
    kind.kind === 'chunked'
      ? decodeChunks(request, kind, decodedLength, isTrailing ? checksum : undefined)
      : read(request);
  return {
    body: verify(content, decodedLength, checks),
    decodedLength,
    declaredAlgorithm: declared?.algorithm,
    checksum: () =>
      checksum?.value === undefined ? undefined : { algorithm: checksum.algorithm, value: checksum.value },
  };
}

function readLength(headers: IncomingHttpHeaders, kind: PayloadKind, maxBytes: number): number {
  const text = headers[kind.kind === 'chunked' ? 'x-amz-decoded-content-length' : 'content-length'];
  if (text === undefined) throw missingLength();
  if (!/^\d{1,15}$/.test(String(text)))
    throw new S3Error('InvalidArgument', 'The content length must be a number of bytes.');
  const length = Number(text);
  if (length > maxBytes)
    throw new S3Error(
      'EntityTooLarge',
      `The content may have ${maxBytes} bytes at most. Upload larger content in parts.`,
      {
        ProposedSize: String(length),
        MaxSizeAllowed: String(maxBytes),
      },
    );
  return length;
}

export const missingLength = () =>
  new S3Error('MissingContentLength', 'The request must say how long its content is: send Content-Length.');

/** The request is not destroyed when reading stops early, because a response must still be possible. */
async function* read(request: PayloadRequest): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch {
    throw incompleteBody();
  }
}

async function* decodeChunks(
  request: PayloadRequest,
  { signing, hasTrailer }: Extract<PayloadKind, { kind: 'chunked' }>,
  decodedLength: number,
  trailing: ChecksumCheck | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const trailerName = trailing && toChecksumHeader(trailing.algorithm);
  const chunked = new ChunkedBody({ signing, hasTrailer, trailerName, decodedLength });
  for await (const bytes of read(request)) {
    const content = chunked.decode(bytes);
    if (content.length > 0) yield content;
  }
  const value = chunked.end();
  if (value !== undefined) trailing?.expect(value);
}

/** Ends only after everything was verified. */
async function* verify(
  content: AsyncIterable<Uint8Array>,
  decodedLength: number,
  checks: readonly ContentCheck[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const bytes of content) {
    length += bytes.length;
    if (length > decodedLength) throw incompleteBody();
    for (const check of checks) check.update(bytes);
    yield bytes;
  }
  if (length !== decodedLength) throw incompleteBody();
  for (const check of checks) check.finish();
}

/** Returns the Content-Encoding to store, without aws-chunked, which describes the transfer rather than the content. */
export function toStoredContentEncoding(contentEncoding: string | undefined): string | undefined {
  if (!contentEncoding?.toLowerCase().includes('aws-chunked')) return contentEncoding;
  const kept = contentEncoding
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked');
  return kept.length > 0 ? kept.join(',') : undefined;
}
