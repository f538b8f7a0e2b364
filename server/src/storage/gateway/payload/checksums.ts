/** S3 checksums: of streamed bytes, and of whole objects from those of their parts. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ChecksumAlgorithm } from '../../../platform/object-storage/embedded/stored-object.ts';
import { CRC32, CRC32C, CRC64NVME, type Crc, type CrcKind, combineCrcs } from './crc-combination.ts';
import { crc32c } from './crc32c.ts';
import { type Crc64, crc64nvme } from './crc64nvme.ts';

export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** Returns the checksum in Base64; call it once. */
  digest(): string;
}

export interface PartChecksum {
  /** Base64. */
  readonly value: string;
  readonly sizeBytes: number;
}

const SIZE_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

const CRC_KINDS: Partial<Record<ChecksumAlgorithm, CrcKind>> = { CRC32, CRC32C, CRC64NVME };

export function createChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  switch (algorithm) {
    case 'CRC32':
      return createCrc32(crc32);
    case 'CRC32C':
      return createCrc32(crc32c);
    case 'CRC64NVME':
      return createCrc64();
    default:
      return createSha(algorithm);
  }
}

function createSha(algorithm: 'SHA1' | 'SHA256'): RunningChecksum {
  const hash = createHash(algorithm.toLowerCase());
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('base64') };
}

function createCrc32(extend: (bytes: Uint8Array, before: number) => number): RunningChecksum {
  let value = 0;
  return {
    update: (bytes) => {
      value = extend(bytes, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes.toString('base64');
    },
  };
}

function createCrc64(): RunningChecksum {
  let value: Crc64 | undefined;
  return {
    update: (bytes) => {
      value = crc64nvme(bytes, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(8);
      bytes.writeInt32BE(value?.high ?? 0);
      bytes.writeInt32BE(value?.low ?? 0, 4);
      return bytes.toString('base64');
    },
  };
}

/** Tells whether a text has the form of such a checksum. */
export function isChecksumText(algorithm: ChecksumAlgorithm, text: string): boolean {
  return isBase64Of(SIZE_BYTES[algorithm], text);
}

export function isBase64Of(sizeBytes: number, text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === sizeBytes && bytes.toString('base64') === text;
}

/** Returns the checksum of the parts' checksums, with their number, as in multipart uploads. */
export function toCompositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const checksum = createChecksum(algorithm);
  for (const { value } of parts) checksum.update(Buffer.from(value, 'base64'));
  return `${checksum.digest()}-${parts.length}`;
}

/** Returns the checksum of all bytes, which only CRCs can be combined to. */
export function toFullObjectChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const kind = CRC_KINDS[algorithm];
  if (!kind) throw new Error(`${algorithm} of the whole content cannot be computed from its parts`);
  const crc = combineCrcs(
    kind,
    parts.map(({ value, sizeBytes }) => ({ crc: toCrc(value), sizeBytes })),
  );
  const bytes = Buffer.alloc(SIZE_BYTES[algorithm]);
  if (kind.isWide) bytes.writeInt32BE(crc.high);
  bytes.writeInt32BE(crc.low, bytes.length - 4);
  return bytes.toString('base64');
}

function toCrc(base64: string): Crc {
  const bytes = Buffer.from(base64, 'base64');
  return { high: bytes.length === 8 ? bytes.readInt32BE() : 0, low: bytes.readInt32BE(bytes.length - 4) };
}
