/** Builds bundles byte by byte, so that tests can send what no archiver would write. */
import { gzipSync } from 'node:zlib';

export interface RawEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** "0" by default. */
  readonly flag?: string;
  /** The size of the content by default. */
  readonly size?: number;
  readonly link?: string;
  /** Written to the prefix field of the header. */
  readonly prefix?: string;
  /** `gnu` is what GNU tar writes in its own format. */
  readonly format?: 'posix' | 'gnu' | 'v7';
  readonly damage?: (header: Buffer) => void;
}

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
const MAGIC = { posix: 'ustar\x0000', gnu: 'ustar  \0', v7: '' };

/** Returns the header, the content and its padding. */
export function tarEntry(entry: RawEntry): Buffer {
  const { name, flag = '0', link = '', prefix = '', format = 'posix', damage } = entry;
  const content = Buffer.from(entry.content ?? '');
  const size = entry.size ?? content.length;
  const header = Buffer.alloc(512);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  if (size < 8 ** 11) header.write(octal(size, 11), 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(octal(0, 11), 136);
  header.write(flag, 156, 'latin1');
  header.write(link, 157);
  header.write(MAGIC[format], 257, 'latin1');
  header.write(prefix, 345);
  header.fill(' ', 148, 156);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${octal(sum, 6)} `, 148);
  damage?.(header);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** The record's length includes the length field itself. */
export function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

export const END_OF_TAR = Buffer.alloc(1_024);

export const tar = (...entries: readonly RawEntry[]): Buffer =>
  Buffer.concat([...entries.map(tarEntry), END_OF_TAR]);

/** A tar.gz with these files. */
export const bundle = (files: Readonly<Record<string, string | Buffer>>): Buffer =>
  gzipSync(tar(...Object.entries(files).map(([name, content]) => ({ name, content }))), { level: 1 });
