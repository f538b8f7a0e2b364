/** Parses one tar header and the records that may precede it: ustar, pax and GNU long names, strictly. */
import { refusal } from './refusal.ts';

export const BLOCK_BYTES = 512;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

export interface TarHeader {
  /** Name in this header; a longer one may come from a preceding record. */
  readonly name: Buffer;
  readonly sizeBytes: number;
  /** Type flag; the historic NUL is converted to "0". */
  readonly flag: string;
}

/** @returns undefined for a block of zeros, two of which end an archive */
export function parseHeader(block: Buffer): TarHeader | undefined {
  if (block.equals(ZEROS)) return undefined;
  if (readNumber(block.subarray(148, 156)) !== checksumOf(block))
    throw refusal('is not a tar archive, or a damaged one: a header has a wrong checksum');
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? untilNul(block.subarray(345, 500)) : Buffer.alloc(0);
  const ending = untilNul(block.subarray(0, 100));
  const sizeBytes = readNumber(block.subarray(124, 136));
  if (sizeBytes === undefined) throw refusal('is a damaged tar archive: a header has no readable size');
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), ending]) : ending,
    sizeBytes,
    flag: String.fromCharCode(block[156] || 0x30),
  };
}

/** Sums the block with the checksum field read as spaces. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (const byte of block) sum += byte;
  for (const byte of block.subarray(148, 156)) sum -= byte;
  return sum;
}

export function untilNul(field: Buffer): Buffer {
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}

/** Numbers are octal digits, or GNU's binary form if they are too large for that. */
function readNumber(field: Buffer): number | undefined {
  if (field[0] === 0x80) {
    const value = BigInt(`0x${field.subarray(1).toString('hex')}`);
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
  }
  const digits = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

/** The pax records that affect the next entry. */
export interface PaxRecords {
  path?: Buffer;
  sizeBytes?: number;
}

const LINE_FEED = 0x0a;

/** Parses records of the form "<length> <key>=<value>\n"; those about owners, times and attributes are ignored. */
export function parsePax(records: Buffer): PaxRecords {
  const found: PaxRecords = {};
  for (let start = 0; start < records.length; ) {
    const blank = records.indexOf(' ', start);
    const digits = records.toString('latin1', start, Math.min(blank, start + 8));
    const end = start + Number(digits);
    const equals = records.indexOf('=', blank);
    const isRecord = /^[1-9]\d*$/.test(digits) && blank > start && equals > blank && equals < end;
    if (!isRecord || end > records.length || records[end - 1] !== LINE_FEED)
      throw refusal('is a damaged tar archive: a pax header cannot be read');
    takeRecord(found, records.toString('utf8', blank + 1, equals), records.subarray(equals + 1, end - 1));
    start = end;
  }
  return found;
}

function takeRecord(found: PaxRecords, key: string, value: Buffer): void {
  if (key.startsWith('GNU.sparse.')) throw refusal('holds a sparse file; pack it with its whole content');
  if (key === 'path' && value.length > 0) found.path = value;
  if (key !== 'size' || value.length === 0) return;
  const size = Number(value.toString('latin1'));
  if (!/^\d+$/.test(value.toString('latin1')) || !Number.isSafeInteger(size))
    throw refusal('is a damaged tar archive: a pax header has no readable size');
  found.sizeBytes = size;
}
