/** UploadPart and UploadPartCopy. */
import type { WrittenBlob } from '../../../platform/object-storage/embedded/stored-object.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ResponseHeaders } from '../http/object-headers.ts';
import { toCopyRange } from '../http/ranges.ts';
import { createChecksum } from '../payload/checksums.ts';
import { textElement, xmlDocument } from '../xml/xml.ts';
import { checkSource, getCopySource, withChecksum } from './copy-object.ts';
import { getPartNumber, noSuchKey } from './get-object.ts';
import { MAX_PUT_BYTES } from './put-object.ts';
import { getUpload } from './uploads.ts';

export async function uploadPart(exchange: Exchange): Promise<void> {
  const { store, query, reply } = exchange;
  const partNumber = getPartNumber(query.get('partNumber'));
  const upload = await getUpload(exchange);
  const payload = exchange.readPayload({ maxBytes: MAX_PUT_BYTES, algorithm: upload.checksumAlgorithm });
  const checksum = () => (upload.checksumAlgorithm ? payload.checksum()?.value : undefined);
  const blob = await store.putPart(upload, partNumber, { body: payload.body, checksum });
  const computed = payload.checksum();
  const headers: ResponseHeaders = { etag: `"${blob.md5}"` };
  if (computed) headers[`x-amz-checksum-${computed.algorithm.toLowerCase()}`] = computed.value;
  reply.send(200, headers);
}

export async function uploadPartCopy(exchange: Exchange): Promise<void> {
  const { store, query, reply } = exchange;
  const partNumber = getPartNumber(query.get('partNumber'));
  const from = getCopySource(exchange);
  const upload = await getUpload(exchange);
  const source = await store.openObject(from, (object) => {
    const range = toCopyRange(exchange.header('x-amz-copy-source-range'), object.sizeBytes);
    checkSource(exchange, object, range && range.end - range.start + 1);
    return range;
  });
  if (!source) throw noSuchKey(from);
  const algorithm = upload.checksumAlgorithm;
  const running = algorithm && createChecksum(algorithm);
  let checksum: string | undefined;
  const blob: WrittenBlob = await store.putPart(upload, partNumber, {
    body: withChecksum(source.body, running),
    checksum: () => (checksum = running?.digest()),
  });
  reply.sendXml(
    xmlDocument('CopyPartResult', [
      textElement('LastModified', new Date().toISOString()),
      textElement('ETag', `"${blob.md5}"`),
      algorithm ? textElement(`Checksum${algorithm}`, checksum) : '',
    ]),
  );
}
