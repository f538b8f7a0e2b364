/** CompleteMultipartUpload: makes an object of the named parts. */
import { createHash } from 'node:crypto';
import {
  CHECKSUM_ALGORITHMS,
  type Checksum,
  NoSuchUpload,
  PartChanged,
  type StoredObject,
  type WriteCondition,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import type { Part, Upload } from '../../../platform/object-storage/embedded/uploads.ts';
import { encodeUriPath } from '../../../platform/object-storage/sigv4/uri-encoding.ts';
import { toEtag, toWriteCondition } from '../http/conditions.ts';
import { noSuchUpload } from '../http/error-responses.ts';
import type { Exchange } from '../http/exchange.ts';
import { toCompositeChecksum, toFullObjectChecksum } from '../payload/checksums.ts';
import { S3Error } from '../s3-error.ts';
import { textElement, xmlDocument } from '../xml/xml.ts';
import { malformed, XmlReader } from '../xml/xml-reader.ts';
import { getPartNumber } from './get-object.ts';
import { underCondition } from './put-object.ts';

export const MAX_PARTS = 10_000;
const MIN_PART_BYTES = 5 * 1024 ** 2;
/** Enough for all parts with etags and the longest checksums. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const MD5 = /^[\da-f]{32}$/;

export interface NamedPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly checksums: ReadonlyMap<string, string>;
}

export async function completeMultipartUpload(exchange: Exchange): Promise<void> {
  const { bucket, key, headers, reply, store } = exchange;
  const condition = toWriteCondition(headers);
  const upload = await store.uploads.find(exchange.query.get('uploadId') ?? '', key);
  const named = readParts(await exchange.readBodyUnsummed(MAX_BODY_BYTES));
  const { etag, checksum } =
    (upload && (await complete(exchange, upload, named, condition))) ?? (await getCompleted(exchange, named));
  reply.sendXml(
    xmlDocument('CompleteMultipartUploadResult', [
      textElement('Location', `/${bucket}/${encodeUriPath(key)}`),
      textElement('Bucket', bucket),
      textElement('Key', key),
      textElement('ETag', `"${etag}"`),
      ...(checksum
        ? [
            textElement(`Checksum${checksum.algorithm}`, checksum.value),
            textElement('ChecksumType', checksum.type),
          ]
        : []),
    ]),
  );
}

/** @returns undefined when the upload has ended in the meantime */
async function complete(
  exchange: Exchange,
  upload: Upload,
  named: readonly NamedPart[],
  condition: WriteCondition | undefined,
): Promise<StoredObject | undefined> {
  const { uploads } = exchange.store;
  const parts = selectParts(upload, named, await uploads.listParts(upload, { limit: MAX_PARTS }));
  checkSizes(parts, exchange.header('x-amz-mp-object-size'));
  const checksum = toChecksum(upload, parts);
  checkAnnounced(exchange, checksum);
  const object = { etag: toMultipartEtag(parts.map(({ md5 }) => md5)), checksum };
  try {
    return await underCondition(exchange, condition, () =>
      uploads.complete(upload, parts, object, condition),
    );
  } catch (error) {
    if (error instanceof NoSuchUpload) return undefined;
    throw error instanceof PartChanged ? invalidPart() : error;
  }
}

/** A client that missed the response repeats the request: it succeeds if the object consists of these parts. */
async function getCompleted({ store, key }: Exchange, named: readonly NamedPart[]): Promise<StoredObject> {
  const md5s = named.map(({ etag }) => etag);
  if (!md5s.every((md5) => MD5.test(md5))) throw noSuchUpload();
  const object = await store.index.find(key);
  if (object?.etag !== toMultipartEtag(md5s)) throw noSuchUpload();
  return object;
}

export function readParts(body: Uint8Array): NamedPart[] {
  const reader = new XmlReader(body, 'CompleteMultipartUpload');
  const parts: NamedPart[] = [];
  for (let name = reader.openNext(); name !== undefined; name = reader.openNext()) {
    if (name !== 'Part' || parts.length === MAX_PARTS) throw malformed();
    const part = readPart(reader);
    if (part.partNumber <= (parts.at(-1)?.partNumber ?? 0))
      throw new S3Error('InvalidPartOrder', 'Name the parts by their numbers, the lowest first.');
    parts.push(part);
  }
  reader.end();
  if (parts.length === 0) throw malformed();
  return parts;
}

function readPart(reader: XmlReader): NamedPart {
  const fields = new Map<string, string>();
  for (let name = reader.openNext(); name !== undefined; name = reader.openNext()) {
    const isKnown = name === 'PartNumber' || name === 'ETag' || CHECKSUM_ELEMENTS.has(name);
    if (!isKnown || fields.has(name)) throw malformed();
    fields.set(name, reader.readText());
  }
  const etag = fields.get('ETag');
  if (etag === undefined) throw malformed();
  return { partNumber: getPartNumber(fields.get('PartNumber')), etag: toEtag(etag), checksums: fields };
}

const CHECKSUM_ELEMENTS = new Set(CHECKSUM_ALGORITHMS.map((algorithm) => `Checksum${algorithm}`));

function selectParts(upload: Upload, named: readonly NamedPart[], stored: readonly Part[]): Part[] {
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]));
  return named.map(({ partNumber, etag, checksums }) => {
    const part = byNumber.get(partNumber);
    if (!part || part.md5 !== etag) throw invalidPart();
    const checksum = checksums.get(`Checksum${upload.checksumAlgorithm}`);
    if (checksum !== undefined && checksum !== part.checksum) throw invalidPart();
    return part;
  });
}

const invalidPart = () =>
  new S3Error(
    'InvalidPart',
    'A named part was not uploaded, or has another etag or checksum. List the parts to see what exists.',
  );

function checkSizes(parts: readonly Part[], announced: string | undefined): void {
  const small = parts.slice(0, -1).find(({ blob }) => blob.sizeBytes < MIN_PART_BYTES);
  if (small)
    throw new S3Error(
      'EntityTooSmall',
      `Every part but the last must have ${MIN_PART_BYTES} bytes at least.`,
      {
        ProposedSize: String(small.blob.sizeBytes),
        MinSizeAllowed: String(MIN_PART_BYTES),
        PartNumber: String(small.partNumber),
      },
    );
  const size = parts.reduce((sum, { blob }) => sum + blob.sizeBytes, 0);
  if (announced !== undefined && announced !== String(size))
    throw new S3Error(
      'InvalidRequest',
      `The parts have ${size} bytes in total, which differs from x-amz-mp-object-size.`,
    );
}

function toMultipartEtag(md5s: readonly string[]): string {
  const hash = createHash('md5');
  for (const md5 of md5s) hash.update(md5, 'hex');
  return `${hash.digest('hex')}-${md5s.length}`;
}

function toChecksum({ checksumAlgorithm: algorithm, checksumType: type }: Upload, parts: readonly Part[]) {
  if (!algorithm || !type) return undefined;
  const ofParts = parts.map(({ checksum, blob }) => ({ value: checksum ?? '', sizeBytes: blob.sizeBytes }));
  const toWhole = type === 'COMPOSITE' ? toCompositeChecksum : toFullObjectChecksum;
  return { algorithm, type, value: toWhole(algorithm, ofParts) } satisfies Checksum;
}

/** Checks the checksum that the client declares for the whole object against its parts. */
function checkAnnounced({ headers }: Exchange, checksum: Checksum | undefined): void {
  const type = headers['x-amz-checksum-type'];
  if (type !== undefined && type !== checksum?.type)
    throw new S3Error('InvalidRequest', 'The upload was created with another type of checksum.');
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const announced = headers[`x-amz-checksum-${algorithm.toLowerCase()}`];
    if (announced === undefined) continue;
    if (algorithm !== checksum?.algorithm)
      throw new S3Error('InvalidRequest', 'The upload was created with another checksum algorithm.');
    // Some clients omit the number of parts.
    if (announced !== checksum.value && announced !== checksum.value.split('-')[0])
      throw new S3Error('BadDigest', `The ${algorithm} of all parts together differs.`);
  }
}
