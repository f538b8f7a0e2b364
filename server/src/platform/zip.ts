/** Writes zip archives while their files are read: deflated, with sizes and checksums behind each file, in constant memory. */
import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipFile {
  /** ASCII, with slashes. */
  readonly path: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const LOCAL_HEADER = 0x04034b50;
const DATA_DESCRIPTOR = 0x08074b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
/** Zip 2.0: deflate. */
const VERSION = 20;
/** Created on Unix, which has permissions. */
const MADE_BY = (3 << 8) | VERSION;
/** Checksum and sizes follow the content. */
const FLAGS = 1 << 3;
const DEFLATED = 8;
const FILE_MODE = 0o100644;
/** This zip format has sizes of 32 bits. */
const MAX_BYTES = 0xffff_ffff;

interface Written {
  readonly path: string;
  readonly offset: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
}

/**
 * Writes files in the given order; each is opened after the previous one is written.
 * @param createdAt the time of every file
 * @throws {RangeError} when the archive grows beyond 4 GiB
 */
export async function* writeZip(
  files: Iterable<ZipFile> | AsyncIterable<ZipFile>,
  createdAt: Date,
): AsyncGenerator<Buffer> {
  const time = toDosTime(createdAt);
  const written: Written[] = [];
  let offset = 0;
  for await (const { path, content } of files) {
    const start = offset;
    const header = localHeader(path, time);
    offset += header.length;
    yield header;
    const measured = { crc: 0, sizeBytes: 0 };
    let compressedBytes = 0;
    for await (const chunk of deflate(measure(content, measured))) {
      compressedBytes += chunk.length;
      offset += chunk.length;
      requireSize(Math.max(offset, measured.sizeBytes));
      yield chunk;
    }
    const file = { path, offset: start, compressedBytes, ...measured };
    written.push(file);
    const descriptor = uint32s(DATA_DESCRIPTOR, ...sizesOf(file));
    offset += descriptor.length;
    yield descriptor;
  }
  const directory = Buffer.concat(written.map((file) => centralHeader(file, time)));
  requireSize(offset + directory.length);
  yield directory;
  yield endOfDirectory(written.length, directory.length, offset);
}

function requireSize(bytes: number): void {
  if (bytes > MAX_BYTES) throw new RangeError(`A zip archive holds at most ${MAX_BYTES} bytes.`);
}

async function* measure(content: ZipFile['content'], measured: { crc: number; sizeBytes: number }) {
  for await (const chunk of content) {
    measured.crc = crc32(chunk, measured.crc);
    measured.sizeBytes += chunk.length;
    yield chunk;
  }
}

/** A failure of either side destroys the other, also when the reader stops. */
const deflate = (content: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> =>
  pipeline(content, createDeflateRaw(), () => {});

/** Two fields of 16 bits: the time of day in steps of 2 s, and the date since 1980, in UTC. */
function toDosTime(date: Date): readonly [time: number, day: number] {
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return [time, day];
}

const uint16s = (...values: number[]) => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
};

const uint32s = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
};

const sizesOf = ({ crc, compressedBytes, sizeBytes }: Written) => [crc, compressedBytes, sizeBytes];

function localHeader(path: string, time: readonly [number, number]): Buffer {
  const name = Buffer.from(path, 'ascii');
  return Buffer.concat([
    uint32s(LOCAL_HEADER),
    uint16s(VERSION, FLAGS, DEFLATED, ...time),
    uint32s(0, 0, 0),
    uint16s(name.length, 0),
    name,
  ]);
}

function centralHeader(file: Written, time: readonly [number, number]): Buffer {
  const name = Buffer.from(file.path, 'ascii');
  return Buffer.concat([
    uint32s(CENTRAL_HEADER),
    uint16s(MADE_BY, VERSION, FLAGS, DEFLATED, ...time),
    uint32s(...sizesOf(file)),
    uint16s(name.length, 0, 0, 0, 0),
    uint32s(FILE_MODE * 0x1_0000, file.offset),
    name,
  ]);
}

const endOfDirectory = (files: number, directoryBytes: number, offset: number) =>
  Buffer.concat([
    uint32s(END_OF_DIRECTORY),
    uint16s(0, 0, files, files),
    uint32s(directoryBytes, offset),
    uint16s(0),
  ]);
