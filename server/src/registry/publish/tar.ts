/**
 * Reads a tar archive entry by entry while it arrives. Unknown features are refused: nothing is skipped silently, and nothing that another
 * program might read differently is accepted.
 */
import { refusal } from './refusal.ts';
import {
  BLOCK_BYTES,
  type PaxRecords,
  parseHeader,
  parsePax,
  type TarHeader,
  untilNul,
} from './tar-header.ts';

export interface TarEntry {
  readonly type: 'file' | 'folder';
  /** Path as stored in the archive. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Must be read before the next entry is requested. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Maximum size of a long name or of a pax header. */
const MAX_META_BYTES = 64 * 1024;
/** Archivers write at most one. */
const MAX_GLOBAL_HEADERS = 16;
/** Archivers pad the last record with zeros; records for tapes may be this long. */
const ZEROS = Buffer.alloc(2 ** 20);

export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(chunks);
  const headers = new HeaderReader(source);
  try {
    yield* readEntries(source, headers);
    await expectNothing(source);
  } finally {
    await source.close();
  }
}

async function* readEntries(source: ByteSource, headers: HeaderReader): AsyncGenerator<TarEntry> {
  for (let entry = await headers.next(); entry; entry = await headers.next()) {
    let left = entry.sizeBytes;
    async function* body(this: void) {
      while (left > 0) {
        const bytes = await source.take(left);
        if (!bytes) throw truncated();
        left -= bytes.length;
        yield bytes;
      }
    }
    yield { ...entry, body: body() };
    if (left > 0) throw new Error(`the content of "${entry.path}" was not read`);
    await skipPadding(source, entry.sizeBytes);
  }
}

const truncated = () => refusal('is a truncated tar archive: it ends before its end is marked');

const twoHeaders = () => refusal('is a damaged tar archive: an entry has two headers that tell its name');

/** Combines up to four headers that describe one entry. */
class HeaderReader {
  readonly #source: ByteSource;
  #globalHeaders = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** @returns undefined at the end marker */
  async next(): Promise<Omit<TarEntry, 'body'> | undefined> {
    let pax: PaxRecords | undefined;
    let longName: Buffer | undefined;
    for (;;) {
      const header = await this.#read();
      if (!header && (pax || longName)) throw truncated();
      if (!header) return undefined;
      if ((header.flag === 'x' && pax) || (header.flag === 'L' && longName)) throw twoHeaders();
      if (header.flag === 'x') pax = parsePax(await this.#readMeta(header));
      else if (header.flag === 'L') longName = untilNul(await this.#readMeta(header));
      else if (header.flag === 'g') await this.#readGlobal(header);
      else return toEntry(header, pax, longName);
    }
  }

  async #read(): Promise<TarHeader | undefined> {
    const block = await this.#source.takeAll(BLOCK_BYTES);
    if (block.length < BLOCK_BYTES) throw truncated();
    const header = parseHeader(block);
    if (header) return header;
    const second = await this.#source.takeAll(BLOCK_BYTES);
    if (second.length < BLOCK_BYTES) throw truncated();
    if (parseHeader(second)) throw refusal('is a damaged tar archive: it goes on after its end');
    return undefined;
  }

  async #readMeta({ sizeBytes }: TarHeader): Promise<Buffer> {
    if (sizeBytes > MAX_META_BYTES)
      throw refusal(`holds a header of ${sizeBytes} bytes; at most ${MAX_META_BYTES} are read`);
    const meta = await this.#source.takeAll(sizeBytes);
    if (meta.length < sizeBytes) throw truncated();
    await skipPadding(this.#source, sizeBytes);
    return meta;
  }

  /** A global header applies to all later entries, so a path or a size in it makes no sense. */
  async #readGlobal(header: TarHeader): Promise<void> {
    if (++this.#globalHeaders > MAX_GLOBAL_HEADERS) throw refusal('holds too many global headers');
    const { path, sizeBytes } = parsePax(await this.#readMeta(header));
    if (path || sizeBytes !== undefined) throw refusal('holds a global header with a path or a size');
  }
}

const REFUSED_TYPES: Readonly<Record<string, string>> = {
  '1': 'is a hard link',
  '2': 'is a symbolic link',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a named pipe',
  K: 'is a link',
  S: 'is a sparse file',
};

function toEntry(
  header: TarHeader,
  pax: PaxRecords | undefined,
  longName: Buffer | undefined,
): Omit<TarEntry, 'body'> {
  if (pax?.path && longName) throw twoHeaders();
  const path = decode(pax?.path ?? longName ?? header.name);
  const sizeBytes = pax?.sizeBytes ?? header.sizeBytes;
  if (header.flag === '0') return { type: 'file', path, sizeBytes };
  if (header.flag === '5' && sizeBytes === 0) return { type: 'folder', path, sizeBytes };
  const what =
    REFUSED_TYPES[header.flag] ?? `is of a type that is not known here ("${printable(header.flag)}")`;
  throw refusal(`${what}; a bundle holds files and folders only`, path);
}

function decode(name: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    throw refusal(`holds a name that is not UTF-8: ${printable(name.toString('latin1').slice(0, 100))}`);
  }
}

const printable = (text: string) =>
  text.replace(/[^ -~]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

async function skipPadding(source: ByteSource, sizeBytes: number): Promise<void> {
  const count = (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;
  if ((await source.takeAll(count)).length < count) throw truncated();
}

async function expectNothing(source: ByteSource): Promise<void> {
  const rest = await source.takeAll(ZEROS.length + 1);
  if (!rest.equals(ZEROS.subarray(0, rest.length)))
    throw refusal('holds more after the end of its tar archive than a few zeros');
}

class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns some of the next bytes, at most this many; undefined at the end. */
  async take(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length);
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Returns exactly this many bytes, or fewer at the end. */
  async takeAll(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const piece = await this.take(left);
      if (!piece) break;
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  /** Stops reading the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
