/** Parses how a body is encoded, from `x-amz-content-sha256`. */
import type { KeyObject } from 'node:crypto';
import type { CredentialScope } from '../../../platform/object-storage/sigv4/signature.ts';
import { S3Error } from '../s3-error.ts';

/** The signature of the first chunk covers that of the request, and each later one covers the previous. */
export interface ChunkSigning {
  readonly signingKey: KeyObject;
  readonly amzDate: string;
  readonly scope: CredentialScope;
  readonly seedSignature: string;
}

export type PayloadKind =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'sha256'; readonly hex: string }
  | {
      readonly kind: 'chunked';
      /** Undefined if the chunks are not signed. */
      readonly signing: ChunkSigning | undefined;
      readonly hasTrailer: boolean;
    };

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

export const contentMismatch = () =>
  new S3Error('XAmzContentSHA256Mismatch', 'The received content differs from the signed content.');

export function toPayloadKind(contentSha256: string, signing: ChunkSigning): PayloadKind {
  switch (contentSha256) {
    case UNSIGNED_PAYLOAD:
      return { kind: 'unsigned' };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD':
      return { kind: 'chunked', signing, hasTrailer: false };
    case 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER':
      return { kind: 'chunked', signing, hasTrailer: true };
    case 'STREAMING-UNSIGNED-PAYLOAD-TRAILER':
      return { kind: 'chunked', signing: undefined, hasTrailer: true };
  }
  if (!/^[\da-f]{64}$/.test(contentSha256))
    throw new S3Error(
      'InvalidArgument',
      'x-amz-content-sha256 must be a SHA-256 in lower-case hexadecimal, UNSIGNED-PAYLOAD, or one of the names for chunked content.',
      { ArgumentName: 'x-amz-content-sha256', ArgumentValue: contentSha256 },
    );
  return { kind: 'sha256', hex: contentSha256 };
}
