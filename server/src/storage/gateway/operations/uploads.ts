/** CreateMultipartUpload and AbortMultipartUpload. */
import type {
  ChecksumAlgorithm,
  ChecksumType,
} from '../../../platform/object-storage/embedded/stored-object.ts';
import type { Upload } from '../../../platform/object-storage/embedded/uploads.ts';
import { noSuchUpload } from '../http/error-responses.ts';
import type { Exchange } from '../http/exchange.ts';
import { toDescription } from '../http/object-headers.ts';
import { S3Error } from '../s3-error.ts';
import { textElement, xmlDocument } from '../xml/xml.ts';
import { findAlgorithm } from './copy-object.ts';

export async function createMultipartUpload(exchange: Exchange): Promise<void> {
  const { store, key, bucket, headers, reply } = exchange;
  const checksumAlgorithm = findAlgorithm(exchange.header('x-amz-checksum-algorithm'));
  const checksumType = toChecksumType(checksumAlgorithm, exchange.header('x-amz-checksum-type'));
  const { id } = await store.uploads.create({
    key,
    ...toDescription(headers),
    checksumAlgorithm,
    checksumType,
  });
  reply.sendXml(
    xmlDocument('InitiateMultipartUploadResult', [
      textElement('Bucket', bucket),
      textElement('Key', key),
      textElement('UploadId', id),
    ]),
    200,
    {
      ...(checksumAlgorithm && { 'x-amz-checksum-algorithm': checksumAlgorithm }),
      ...(checksumType && { 'x-amz-checksum-type': checksumType }),
    },
  );
}

/** Only CRCs can be combined from parts, and CRC-64/NVME is never a composite. */
function toChecksumType(
  algorithm: ChecksumAlgorithm | undefined,
  requested: string | undefined,
): ChecksumType | undefined {
  if (algorithm === undefined && requested === undefined) return undefined;
  const possible: readonly ChecksumType[] =
    algorithm === 'CRC64NVME'
      ? ['FULL_OBJECT']
      : algorithm === 'CRC32' || algorithm === 'CRC32C'
        ? ['COMPOSITE', 'FULL_OBJECT']
        : ['COMPOSITE'];
  const type = requested === undefined ? possible[0] : possible.find((one) => one === requested);
  if (algorithm === undefined || type === undefined)
    throw new S3Error(
      'InvalidRequest',
      algorithm === undefined
        ? 'A type of checksum needs an algorithm: send x-amz-checksum-algorithm.'
        : `${algorithm} can be ${possible.join(' or ')} only.`,
    );
  return type;
}

export async function abortMultipartUpload({ store, key, query, reply }: Exchange): Promise<void> {
  if (!(await store.uploads.abort(query.get('uploadId') ?? '', key))) throw noSuchUpload();
  reply.send(204, {});
}

/** An upload is only found together with its key: its id alone gives no access. */
export async function getUpload({ store, key, query }: Exchange): Promise<Upload> {
  const upload = await store.uploads.find(query.get('uploadId') ?? '', key);
  if (!upload) throw noSuchUpload();
  return upload;
}
