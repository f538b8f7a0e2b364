/** The bytes of an answer with our id in the place of the provider's. */
import type { Outline } from './outline.ts';

/** @param own it, as JSON */
export function withId(bytes: Buffer, outline: Outline, own: Buffer): Buffer {
  return Buffer.concat(partsWithId(bytes, outline, own));
}

/** The same in parts, for who puts more together. */
export function partsWithId(bytes: Buffer, { ids }: Outline, own: Buffer): Buffer[] {
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
