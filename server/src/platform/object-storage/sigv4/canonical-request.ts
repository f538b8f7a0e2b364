/** Builds the text of a request that is signed. */
import { hash } from 'node:crypto';
import { canonicaliseQueryPart } from './uri-encoding.ts';

export interface CanonicalRequest {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  /** Percent-encoded and sorted. */
  readonly query: string;
  /** Sorted lower-case names, with values without unnecessary spaces. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payloadHash: string;
}

export function toCanonicalText({ method, path, query, headers, payloadHash }: CanonicalRequest): string {
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  return `${method}\n${path}\n${query}\n${lines}\n${toSignedHeaders(headers)}\n${payloadHash}`;
}

export function toSignedHeaders(headers: CanonicalRequest['headers']): string {
  return headers.map(([name]) => name).join(';');
}

/** @param bytesAsText one character per byte, as in node:http headers */
export function sha256Hex(bytesAsText: string): string {
  return hash('sha256', Buffer.from(bytesAsText, 'latin1'), 'hex');
}

/** A name and a value of a query, both percent-encoded. */
export type QueryPair = readonly [name: string, value: string];

/** @returns undefined when the query is not properly encoded */
export function parseQuery(rawQuery: string): QueryPair[] | undefined {
  const pairs: QueryPair[] = [];
  for (const text of rawQuery.split('&')) {
    if (text === '') continue;
    const at = text.indexOf('=');
    const name = canonicaliseQueryPart(at < 0 ? text : text.slice(0, at));
    const value = canonicaliseQueryPart(at < 0 ? '' : text.slice(at + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

export function toCanonicalQuery(pairs: readonly QueryPair[]): string {
  let text = '';
  for (const [name, value] of pairs.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y)))
    text += text === '' ? `${name}=${value}` : `&${name}=${value}`;
  return text;
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** Returns all headers by lower-case names; repeated headers are joined, as they are signed. */
export function toHeaderValues(rawHeaders: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = trimAll(rawHeaders[index + 1] ?? '');
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return values;
}

/** Removes outer spaces and collapses inner ones. Does not use trim(), which would treat a byte of a letter as a space. */
function trimAll(value: string): string {
  const single = value.includes('  ') ? value.replace(/ {2,}/g, ' ') : value;
  const start = single.startsWith(' ') ? 1 : 0;
  return single.slice(start, single.endsWith(' ') ? -1 : undefined);
}
