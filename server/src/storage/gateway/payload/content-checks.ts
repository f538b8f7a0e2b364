/** Computes digests of streamed content and compares them with those that the request declares. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ChecksumAlgorithm } from '../../../platform/object-storage/embedded/stored-object.ts';
import { contentMismatch, type PayloadKind } from '../authentication/payload-kind.ts';
import { S3Error } from '../s3-error.ts';
import { createChecksum, isBase64Of, isChecksumText, type RunningChecksum } from './checksums.ts';

export interface ContentCheck {
  update(bytes: Uint8Array): void;
  /** Throws when the content does not match. */
  finish(): void;
}

/** Checks Content-MD5 and the signed hash. */
export function listDigestChecks(headers: IncomingHttpHeaders, kind: PayloadKind): ContentCheck[] {
  const checks: ContentCheck[] = [];
  const md5 = headers['content-md5'];
  if (md5 !== undefined) {
    if (!isBase64Of(16, String(md5)))
      throw new S3Error('InvalidDigest', 'Content-MD5 must be 16 bytes in base64.');
    checks.push(toDigestCheck('md5', 'base64', String(md5), badMd5));
  }
  if (kind.kind === 'sha256') checks.push(toDigestCheck('sha256', 'hex', kind.hex, contentMismatch));
  return checks;
}

function toDigestCheck(
  algorithm: 'md5' | 'sha256',
  encoding: 'hex' | 'base64',
  expected: string,
  toError: () => S3Error,
): ContentCheck {
  const hash = createHash(algorithm);
  return {
    update: (bytes) => void hash.update(bytes),
    finish: () => {
      if (hash.digest(encoding) !== expected) throw toError();
    },
  };
}

/** Checks a declared checksum of the content, or computes a requested one. */
export class ChecksumCheck implements ContentCheck {
  readonly algorithm: ChecksumAlgorithm;
  /** Checksum of the whole content, available at its end. */
  value: string | undefined;
  private readonly running: RunningChecksum;
  private expected: string | undefined;

  constructor(algorithm: ChecksumAlgorithm, expected: string | undefined) {
    this.algorithm = algorithm;
    this.expected = expected;
    this.running = createChecksum(algorithm);
  }

  /** Sets the expected value from a trailer, which comes after the content. */
  expect(value: string): void {
    if (!isChecksumText(this.algorithm, value))
      throw new S3Error('InvalidRequest', `The trailer is not a ${this.algorithm} in Base64.`);
    this.expected = value;
  }

  update(bytes: Uint8Array): void {
    this.running.update(bytes);
  }

  finish(): void {
    const value = this.running.digest();
    if (this.expected !== undefined && this.expected !== value)
      throw new S3Error('BadDigest', `The ${this.algorithm} of the received content differs. Send it again.`);
    this.value = value;
  }
}

const badMd5 = () => new S3Error('BadDigest', 'The MD5 of the received content differs. Send it again.');
