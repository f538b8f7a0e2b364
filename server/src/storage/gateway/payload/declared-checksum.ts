/** Parses the checksum that a request declares for its content, in a header or for a later trailer. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import { S3Error } from '../s3-error.ts';
import { isChecksumText } from './checksums.ts';

export interface DeclaredChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64; undefined if it follows in a trailer. */
  readonly value: string | undefined;
}

const PREFIX = 'x-amz-checksum-';
/** Headers about checksums that do not contain one. */
const NO_VALUES = new Set(['x-amz-checksum-algorithm', 'x-amz-checksum-mode', 'x-amz-checksum-type']);

export const toChecksumHeader = (algorithm: ChecksumAlgorithm) => PREFIX + algorithm.toLowerCase();

export function findDeclaredChecksum(headers: IncomingHttpHeaders): DeclaredChecksum | undefined {
  const declared = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && !NO_VALUES.has(name) ? [toDeclared(name, String(value))] : [],
  );
  const trailer = headers['x-amz-trailer'];
  if (trailer !== undefined) declared.push(toDeclared(String(trailer).trim().toLowerCase(), undefined));
  const [first, second] = declared;
  if (second) throw invalid('A request brings one checksum only.');
  checkAnnounced(headers['x-amz-sdk-checksum-algorithm'], first);
  return first;
}

function toDeclared(name: string, value: string | undefined): DeclaredChecksum {
  const algorithm = CHECKSUM_ALGORITHMS.find((known) => name === toChecksumHeader(known));
  if (!algorithm) throw invalid(`${name} is not a supported checksum.`);
  if (value !== undefined && !isChecksumText(algorithm, value))
    throw invalid(`The value of ${name} cannot be such a checksum.`);
  return { algorithm, value };
}

/** A client that names an algorithm must also send the checksum. */
function checkAnnounced(algorithm: string | string[] | undefined, declared: DeclaredChecksum | undefined) {
  if (algorithm === undefined) return;
  if (!declared) throw invalid('x-amz-sdk-checksum-algorithm names a checksum that does not come.');
  if (String(algorithm).toUpperCase() !== declared.algorithm)
    throw invalid('x-amz-sdk-checksum-algorithm names another checksum than the one that comes.');
}

const invalid = (message: string) => new S3Error('InvalidRequest', message);
