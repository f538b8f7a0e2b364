/** DeleteObject and DeleteObjects. */
import type { Exchange } from '../http/exchange.ts';
import { accessDenied } from '../http/exchange.ts';
import { checkKey } from '../http/request-target.ts';
import { S3Error } from '../s3-error.ts';
import { element, textElement, xmlDocument } from '../xml/xml.ts';
import { malformed, XmlReader } from '../xml/xml-reader.ts';
import { checkVersionId } from './get-object.ts';

const MAX_DELETES = 1_000;
/** A thousand of the longest keys, and as much for the markup around them. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

export async function deleteObject({ store, key, query, headers, reply }: Exchange): Promise<void> {
  checkVersionId(query);
  if (headers['if-match'] !== undefined)
    throw new S3Error('NotImplemented', 'A deletion takes no conditions.', { Header: 'If-Match' });
  await store.index.delete([key]);
  reply.send(204, {});
}

export async function deleteObjects(exchange: Exchange): Promise<void> {
  const { store, reply } = exchange;
  const { keys, isQuiet } = readDeletes(await exchange.readBody(MAX_BODY_BYTES));
  const outcomes = keys.map((key) => ({ key, error: findObjection(exchange, key) }));
  await store.index.delete(outcomes.filter(({ error }) => !error).map(({ key }) => key));
  const results = outcomes.flatMap(({ key, error }) => {
    if (error)
      return element('Error', [
        textElement('Key', key),
        textElement('Code', error.code),
        textElement('Message', error.message),
      ]);
    return isQuiet ? [] : element('Deleted', [textElement('Key', key)]);
  });
  reply.sendXml(xmlDocument('DeleteResult', results));
}

/** Checks one key; a refused key does not prevent the deletion of others. */
function findObjection({ caller }: Exchange, key: string): S3Error | undefined {
  if (!caller.may('s3:DeleteObject', { key })) return accessDenied();
  try {
    checkKey(key);
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
}

interface Deletes {
  readonly keys: readonly string[];
  readonly isQuiet: boolean;
}

export function readDeletes(body: Uint8Array): Deletes {
  const reader = new XmlReader(body, 'Delete');
  const keys: string[] = [];
  let isQuiet = false;
  for (let name = reader.openNext(); name !== undefined; name = reader.openNext()) {
    if (name === 'Quiet') isQuiet = readBoolean(reader.readText());
    else if (name === 'Object' && keys.length < MAX_DELETES) keys.push(readObject(reader));
    else throw malformed();
  }
  reader.end();
  if (keys.length === 0) throw malformed();
  return { keys: [...new Set(keys)], isQuiet };
}

function readBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw malformed();
  return text === 'true';
}

function readObject(reader: XmlReader): string {
  let key: string | undefined;
  for (let name = reader.openNext(); name !== undefined; name = reader.openNext()) {
    const text = reader.readText();
    if (name === 'Key' && key === undefined) key = text;
    else if (name === 'VersionId') checkVersionId(new Map([['versionId', text === '' ? 'null' : text]]));
    else if (name === 'ETag' || name === 'LastModifiedTime' || name === 'Size')
      throw new S3Error('NotImplemented', 'A deletion takes no conditions.');
    else throw malformed();
  }
  if (key === undefined || key === '') throw malformed();
  return key;
}
