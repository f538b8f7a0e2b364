/** ListParts and ListMultipartUploads. */
import type { Part, Upload } from '../../../platform/object-storage/embedded/uploads.ts';
import type { Exchange } from '../http/exchange.ts';
import { element, textElement, xmlDocument } from '../xml/xml.ts';
import { ownerElement } from './list-objects.ts';
import { toCount, toEncoder, toInteger } from './list-parameters.ts';
import { getUpload } from './uploads.ts';

const MAX_LISTED = 1_000;

export async function listParts(exchange: Exchange): Promise<void> {
  const { store, bucket, key, query, reply } = exchange;
  const limit = toCount(query, 'max-parts', MAX_LISTED);
  const after = toInteger(query, 'part-number-marker') ?? 0;
  const upload = await getUpload(exchange);
  const found = limit === 0 ? [] : await store.uploads.listParts(upload, { after, limit: limit + 1 });
  const parts = found.slice(0, limit);
  const isTruncated = found.length > limit;
  reply.sendXml(
    xmlDocument('ListPartsResult', [
      textElement('Bucket', bucket),
      textElement('Key', key),
      textElement('UploadId', upload.id),
      ownerElement('Initiator'),
      ownerElement('Owner'),
      textElement('StorageClass', 'STANDARD'),
      textElement('PartNumberMarker', after),
      textElement('NextPartNumberMarker', isTruncated ? parts.at(-1)?.partNumber : undefined),
      textElement('MaxParts', limit),
      textElement('IsTruncated', isTruncated),
      textElement('ChecksumAlgorithm', upload.checksumAlgorithm),
      textElement('ChecksumType', upload.checksumType),
      ...parts.map((part) => partElement(upload, part)),
    ]),
  );
}

const partElement = ({ checksumAlgorithm }: Upload, { partNumber, updatedAt, md5, blob, checksum }: Part) =>
  element('Part', [
    textElement('PartNumber', partNumber),
    textElement('LastModified', updatedAt.toISOString()),
    textElement('ETag', `"${md5}"`),
    textElement('Size', blob.sizeBytes),
    checksumAlgorithm ? textElement(`Checksum${checksumAlgorithm}`, checksum) : '',
  ]);

export async function listMultipartUploads({ store, bucket, query, reply }: Exchange): Promise<void> {
  const encode = toEncoder(query);
  const limit = toCount(query, 'max-uploads', MAX_LISTED);
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') || undefined;
  const keyMarker = query.get('key-marker') ?? '';
  const uploadIdMarker = query.get('upload-id-marker') ?? '';
  const page = await store.uploads.list({
    prefix,
    delimiter,
    ...(keyMarker !== '' && { keyAfter: keyMarker }),
    ...(keyMarker !== '' && uploadIdMarker !== '' && { uploadIdAfter: uploadIdMarker }),
    limit,
  });
  reply.sendXml(
    xmlDocument('ListMultipartUploadsResult', [
      textElement('Bucket', bucket),
      textElement('KeyMarker', encode(keyMarker)),
      textElement('UploadIdMarker', uploadIdMarker),
      textElement('NextKeyMarker', page.next && encode(page.next.key)),
      textElement('NextUploadIdMarker', page.next?.uploadId),
      textElement('Prefix', encode(prefix)),
      textElement('Delimiter', delimiter && encode(delimiter)),
      textElement('EncodingType', query.get('encoding-type')),
      textElement('MaxUploads', limit),
      textElement('IsTruncated', page.next !== undefined),
      ...page.uploads.map(({ key, id, createdAt }) =>
        element('Upload', [
          textElement('Key', encode(key)),
          textElement('UploadId', id),
          ownerElement('Initiator'),
          ownerElement('Owner'),
          textElement('StorageClass', 'STANDARD'),
          textElement('Initiated', createdAt.toISOString()),
        ]),
      ),
      ...page.commonPrefixes.map((common) =>
        element('CommonPrefixes', [textElement('Prefix', encode(common))]),
      ),
    ]),
  );
}
