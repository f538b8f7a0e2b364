/** The bytes of an answer with our id in the place of the provider's. */
import { isAscii } from 'node:buffer';
import type { Outline } from './outline.ts';

/** Longer ones are quicker as bytes. */
const MAX_TEXT_LENGTH = 64 * 1024;

/** @param own it, as JSON, in ASCII. @returns a text where that is all ASCII */
export function withId(bytes: Buffer, outline: Outline, own: string): Buffer | string {
  const isText = outline.ids.length > 0 && bytes.length <= MAX_TEXT_LENGTH && isAscii(bytes);
  if (!isText) return Buffer.concat(partsWithId(bytes, outline, Buffer.from(own, 'latin1')));
  const text = bytes.toString('latin1');
  let made = '';
  let from = 0;
  for (const { start, end } of outline.ids) {
    made += text.slice(from, start) + own;
    from = end;
  }
  return made + text.slice(from);
}

/** The same in parts, for who puts more together. */
export function partsWithId(bytes: Buffer, { ids }: Pick<Outline, 'ids'>, own: Buffer): Buffer[] {
  if (ids.length === 0) return [withAddedId(bytes, own)];
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end } of ids) {
    parts.push(bytes.subarray(from, start), own);
    from = end;
  }
  parts.push(bytes.subarray(from));
  return parts;
}

function withAddedId(bytes: Buffer, own: Buffer): Buffer {
  const after = bytes.indexOf('{') + 1;
  const isEmpty = /^\s*\}/.test(bytes.toString('latin1', after, after + 100));
  const member = Buffer.concat([Buffer.from('"id":'), own, Buffer.from(isEmpty ? '' : ',')]);
  return Buffer.concat([bytes.subarray(0, after), member, bytes.subarray(after)]);
}
