/** ListObjects and ListObjectsV2. */
import type { ListPage } from '../../../platform/object-storage/embedded/objects/object-listing.ts';
import type { Exchange } from '../http/exchange.ts';
import { S3Error } from '../s3-error.ts';
import { element, textElement, xmlDocument } from '../xml/xml.ts';
import { toCount, toEncoder } from './list-parameters.ts';

const MAX_KEYS = 1_000;

interface ListParameters {
  readonly prefix: string;
  readonly delimiter: string | undefined;
  readonly maxKeys: number;
  readonly encodingType: string | undefined;
  readonly encode: (text: string) => string;
}

export async function listObjects(exchange: Exchange): Promise<void> {
  const parameters = toParameters(exchange);
  const { prefix, delimiter, maxKeys, encode } = parameters;
  const marker = exchange.query.get('marker') ?? '';
  const page = await exchange.store.index.list({ prefix, delimiter, after: marker, limit: maxKeys });
  exchange.reply.sendXml(
    xmlDocument('ListBucketResult', [
      ...commonElements(exchange, parameters, page),
      textElement('Marker', encode(marker)),
      // S3 sends no marker for lists without a delimiter: clients continue from the last key.
      textElement('NextMarker', page.next === undefined || !delimiter ? undefined : encode(page.next)),
      ...contentElements(page, encode, true),
    ]),
  );
}

export async function listObjectsV2(exchange: Exchange): Promise<void> {
  const { query } = exchange;
  if (query.get('list-type') !== '2')
    throw new S3Error('InvalidArgument', 'list-type can only be 2.', {
      ArgumentName: 'list-type',
    });
  const parameters = toParameters(exchange);
  const { prefix, delimiter, maxKeys, encode } = parameters;
  const token = query.get('continuation-token');
  const startAfter = query.get('start-after');
  const after = token === undefined ? startAfter : fromToken(token);
  const page = await exchange.store.index.list({ prefix, delimiter, after, limit: maxKeys });
  exchange.reply.sendXml(
    xmlDocument('ListBucketResult', [
      ...commonElements(exchange, parameters, page),
      textElement('KeyCount', page.objects.length + page.commonPrefixes.length),
      textElement('ContinuationToken', token),
      textElement('NextContinuationToken', page.next === undefined ? undefined : toToken(page.next)),
      textElement('StartAfter', startAfter === undefined ? undefined : encode(startAfter)),
      ...contentElements(page, encode, query.get('fetch-owner') === 'true'),
    ]),
  );
}

function toParameters({ query }: Exchange): ListParameters {
  const delimiter = query.get('delimiter');
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: delimiter === '' ? undefined : delimiter,
    maxKeys: toCount(query, 'max-keys', MAX_KEYS),
    encodingType: query.get('encoding-type'),
    encode: toEncoder(query),
  };
}

function commonElements(
  { bucket }: Exchange,
  { encode, ...parameters }: ListParameters,
  page: ListPage,
): string[] {
  return [
    textElement('Name', bucket),
    textElement('Prefix', encode(parameters.prefix)),
    textElement('Delimiter', parameters.delimiter === undefined ? undefined : encode(parameters.delimiter)),
    textElement('MaxKeys', parameters.maxKeys),
    textElement('EncodingType', parameters.encodingType),
    textElement('IsTruncated', page.next !== undefined),
  ];
}

function contentElements(page: ListPage, encode: ListParameters['encode'], withOwner: boolean): string[] {
  const owner = withOwner ? ownerElement('Owner') : '';
  const contents = page.objects.map((object) =>
    element('Contents', [
      textElement('Key', encode(object.key)),
      textElement('LastModified', object.updatedAt.toISOString()),
      textElement('ETag', `"${object.etag}"`),
      textElement('ChecksumAlgorithm', object.checksumAlgorithm),
      textElement('ChecksumType', object.checksumType),
      textElement('Size', object.sizeBytes),
      owner,
      textElement('StorageClass', 'STANDARD'),
    ]),
  );
  const prefixes = page.commonPrefixes.map((prefix) =>
    element('CommonPrefixes', [textElement('Prefix', encode(prefix))]),
  );
  return [...contents, ...prefixes];
}

/** The owner of everything is the server. */
export const ownerElement = (name: 'Owner' | 'Initiator' | 'Grantee') =>
  element(name, [textElement('ID', 'drydock'), textElement('DisplayName', 'drydock')]);

const toToken = (after: string) => Buffer.from(after).toString('base64url');

/** The token only says where to continue; the prefix decides what is visible. */
function fromToken(token: string): string {
  const after = Buffer.from(token, 'base64url').toString();
  if (token === '' || toToken(after) !== token || after.includes('\0'))
    throw new S3Error('InvalidArgument', 'The continuation token is invalid. Start the list again.', {
      ArgumentName: 'continuation-token',
    });
  return after;
}
