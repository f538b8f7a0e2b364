/** CopyObject, and what it shares with UploadPartCopy. */
import type { Readable } from 'node:stream';
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  type StoredObject,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import { canonicaliseUriPath } from '../../../platform/object-storage/sigv4/uri-encoding.ts';
import { checkCopyConditions, toWriteCondition } from '../http/conditions.ts';
import { accessDenied, type Exchange } from '../http/exchange.ts';
import { toDescription } from '../http/object-headers.ts';
import { toPlace } from '../http/request-target.ts';
import { createChecksum, type RunningChecksum } from '../payload/checksums.ts';
import { S3Error } from '../s3-error.ts';
import { textElement, xmlDocument } from '../xml/xml.ts';
import { noSuchKey } from './get-object.ts';
import { MAX_PUT_BYTES, underCondition } from './put-object.ts';

export async function copyObject(exchange: Exchange): Promise<void> {
  const { key, headers, reply } = exchange;
  const from = getCopySource(exchange);
  const isReplaced = toDirective(exchange.header('x-amz-metadata-directive')) === 'REPLACE';
  if (from === key && !isReplaced)
    throw new S3Error(
      'InvalidRequest',
      'An object can only be copied onto itself to change its metadata: send x-amz-metadata-directive: REPLACE.',
    );
  const description = toDescription(headers);
  const condition = toWriteCondition(headers);
  const algorithm = findAlgorithm(exchange.header('x-amz-checksum-algorithm'));
  const describe = (source: StoredObject) => {
    checkSource(exchange, source);
    const { etag, checksum } = source;
    return { key, etag, checksum, ...(isReplaced ? description : toSourceDescription(source)) };
  };
  const stored = await underCondition(exchange, condition, async () =>
    algorithm !== undefined && (await lacksChecksum(exchange, from, algorithm))
      ? copyContent(exchange, { from, describe, algorithm, condition })
      : exchange.store.copyObject(from, describe, condition),
  );
  if (!stored) throw noSuchKey(from);
  reply.sendXml(xmlDocument('CopyObjectResult', copyElements(stored)));
}

const toSourceDescription = ({ headers, metadata }: StoredObject) => ({ headers, metadata });

async function lacksChecksum(
  { store }: Exchange,
  from: string,
  algorithm: ChecksumAlgorithm,
): Promise<boolean> {
  const source = await store.index.find(from);
  return source !== undefined && source.checksum?.algorithm !== algorithm;
}

interface ContentCopy {
  readonly from: string;
  readonly describe: (source: StoredObject) => Pick<StoredObject, 'key' | 'headers' | 'metadata'>;
  readonly algorithm: ChecksumAlgorithm;
  readonly condition: ReturnType<typeof toWriteCondition>;
}

/** Copies with a checksum that the source lacks, for which all of the content must be read. */
async function copyContent({ store }: Exchange, copy: ContentCopy): Promise<StoredObject | undefined> {
  const { from, describe, algorithm, condition } = copy;
  const found = await store.openObject(from, (source) => void describe(source));
  if (!found) return undefined;
  const { key, headers, metadata } = describe(found.object);
  const running = createChecksum(algorithm);
  const body = withChecksum(found.body, running);
  const checksum = () => ({ algorithm, type: 'FULL_OBJECT', value: running.digest() }) as const;
  return store.putObject({ key, headers, metadata, body, checksum }, condition);
}

export async function* withChecksum(
  content: Buffer | Readable,
  running: RunningChecksum | undefined,
): AsyncGenerator<Uint8Array> {
  const chunks = Buffer.isBuffer(content) ? [content] : (content as AsyncIterable<Buffer>);
  for await (const chunk of chunks) {
    running?.update(chunk);
    yield chunk;
  }
}

export function checkSource({ headers }: Exchange, source: StoredObject, sizeBytes = source.sizeBytes): void {
  checkCopyConditions(headers, source);
  if (sizeBytes > MAX_PUT_BYTES)
    throw new S3Error('InvalidRequest', `Copy more than ${MAX_PUT_BYTES} bytes in parts.`);
}

/** Returns the source key. Whether the caller may read it is checked first of all. */
export function getCopySource(exchange: Exchange): string {
  const header = exchange.header('x-amz-copy-source') ?? '';
  const [path = '', version, ...rest] = header.split('?');
  if (rest.length > 0 || (version !== undefined && version !== 'versionId=null'))
    throw new S3Error('InvalidArgument', 'Versions are not supported.', {
      ArgumentName: 'x-amz-copy-source',
    });
  // Clients encode differently: some also encode the slash between bucket and key, some encode nothing.
  const { bucket, key } = toPlace((canonicaliseUriPath(path) ?? path).replace(/^\//, ''));
  if (bucket === undefined || key === undefined)
    throw new S3Error('InvalidArgument', 'x-amz-copy-source must be written as <bucket>/<key>.', {
      ArgumentName: 'x-amz-copy-source',
    });
  if (bucket !== exchange.bucket)
    throw exchange.caller.isRestricted
      ? accessDenied()
      : new S3Error('NoSuchBucket', 'There is no such bucket.');
  exchange.require('s3:GetObject', { key });
  return key;
}

function toDirective(text = 'COPY'): 'COPY' | 'REPLACE' {
  if (text === 'COPY' || text === 'REPLACE') return text;
  throw new S3Error('InvalidArgument', 'x-amz-metadata-directive must be COPY or REPLACE.', {
    ArgumentName: 'x-amz-metadata-directive',
  });
}

export function findAlgorithm(text: string | undefined): ChecksumAlgorithm | undefined {
  if (text === undefined) return undefined;
  const algorithm = CHECKSUM_ALGORITHMS.find((name) => name === text.toUpperCase());
  if (!algorithm)
    throw new S3Error(
      'InvalidRequest',
      `The checksum algorithm must be one of ${CHECKSUM_ALGORITHMS.join(', ')}.`,
    );
  return algorithm;
}

function copyElements({ updatedAt, etag, checksum }: StoredObject): string[] {
  return [
    textElement('LastModified', updatedAt.toISOString()),
    textElement('ETag', `"${etag}"`),
    ...(checksum
      ? [
          textElement(`Checksum${checksum.algorithm}`, checksum.value),
          textElement('ChecksumType', checksum.type),
        ]
      : []),
  ];
}
