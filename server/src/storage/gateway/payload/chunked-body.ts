/** Decodes aws-chunked bodies as a stream and verifies the signatures of chunks and trailers. */
import { createHash, type Hash, timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '../../../platform/object-storage/sigv4/canonical-request.ts';
import { ALGORITHM, sign, toScopeText } from '../../../platform/object-storage/sigv4/signature.ts';
import type { ChunkSigning } from '../authentication/payload-kind.ts';
import { S3Error } from '../s3-error.ts';

export interface ChunkedBodyOptions {
  readonly signing: ChunkSigning | undefined;
  readonly hasTrailer: boolean;
  /** Name of the announced trailer, in lower case. */
  readonly trailerName: string | undefined;
  readonly decodedLength: number;
}

/** Maximum length of the line before a chunk, with size and signature. */
const MAX_LINE_BYTES = 200;
const MAX_TRAILER_BYTES = 1024;
const LINE_FEED = 0x0a;
/** A client may forward data as it arrives, with occasional chunks of a few bytes, but not exclusively. */
const MAX_SMALL_CHUNKS = 10_000;
const MIN_MEAN_CHUNK_BYTES = 16;
const NOTHING = Buffer.alloc(0);
const CRLF = Buffer.from('\r\n');
const SHA256_OF_NOTHING = sha256Hex('');

const SIGNED_LINE = /^([\da-f]{1,12});chunk-signature=([\da-f]{64})\r$/i;
const UNSIGNED_LINE = /^([\da-f]{1,12})\r$/i;
const TRAILER_SIGNATURE = 'x-amz-trailer-signature';

/** Buffers at most a line or the trailers; content passes through. */
export class ChunkedBody {
  private readonly options: ChunkedBodyOptions;
  private readonly signatures: ChunkSignatures | undefined;
  private state: 'line' | 'content' | 'end of content' | 'trailers' = 'line';
  /** Incomplete line, chunk end or trailers. */
  private held: Buffer = NOTHING;
  /** Bytes of the current chunk that have not arrived. */
  private missingBytes = 0;
  private decodedBytes = 0;
  private chunks = 0;

  constructor(options: ChunkedBodyOptions) {
    this.options = options;
    this.signatures = options.signing && new ChunkSignatures(options.signing);
  }

  /** @returns the decoded content in one piece, because later stages have a cost per piece */
  decode(bytes: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    let rest = bytes;
    while (rest.length > 0) {
      if (this.state === 'content') {
        const content = rest.subarray(0, this.missingBytes);
        rest = rest.subarray(content.length);
        this.takeContent(content);
        pieces.push(content);
      } else if (this.state === 'line') {
        rest = this.takeLine(rest);
      } else if (this.state === 'end of content') {
        rest = this.takeEndOfContent(rest);
      } else {
        this.hold(rest, MAX_TRAILER_BYTES, this.options.hasTrailer ? malformedTrailer : malformedBody);
        break;
      }
    }
    const [first = NOTHING, ...others] = pieces;
    return others.length === 0 ? first : Buffer.concat(pieces);
  }

  /** Called after the last byte: returns the value of the announced trailer. */
  end(): string | undefined {
    if (this.state !== 'trailers' || this.decodedBytes !== this.options.decodedLength) throw incompleteBody();
    const text = this.held.toString('latin1');
    if (!this.options.hasTrailer) {
      if (text !== '' && text !== '\r\n') throw malformedBody();
      return undefined;
    }
    const trailers = toTrailers(text);
    const names = [this.options.trailerName, this.signatures && TRAILER_SIGNATURE];
    const expected = names.filter((name) => name !== undefined);
    if (trailers.size !== expected.length || expected.some((name) => !trailers.has(name)))
      throw malformedTrailer();
    this.signatures?.checkTrailers(trailers);
    return this.options.trailerName && trailers.get(this.options.trailerName);
  }

  private takeContent(content: Uint8Array): void {
    this.signatures?.update(content);
    this.missingBytes -= content.length;
    if (this.missingBytes > 0) return;
    this.signatures?.checkChunk();
    this.state = 'end of content';
  }

  private takeLine(bytes: Uint8Array): Uint8Array {
    const at = bytes.indexOf(LINE_FEED);
    this.hold(at < 0 ? bytes : bytes.subarray(0, at), MAX_LINE_BYTES, malformedBody);
    if (at < 0) return bytes.subarray(bytes.length);
    this.beginChunk(this.held.toString('latin1'));
    this.held = NOTHING;
    return bytes.subarray(at + 1);
  }

  private beginChunk(line: string): void {
    const match = (this.signatures ? SIGNED_LINE : UNSIGNED_LINE).exec(line);
    if (!match) throw malformedBody();
    this.missingBytes = Number.parseInt(match[1] ?? '', 16);
    this.decodedBytes += this.missingBytes;
    if (this.decodedBytes > this.options.decodedLength) throw incompleteBody();
    this.chunks += 1;
    if (this.chunks > MAX_SMALL_CHUNKS && this.decodedBytes < this.chunks * MIN_MEAN_CHUNK_BYTES)
      throw new S3Error('InvalidChunkSizeError', 'The chunks of the body are too small: send larger ones.');
    this.signatures?.begin(match[2] ?? '');
    this.state = this.missingBytes > 0 ? 'content' : 'trailers';
    if (this.state === 'trailers') this.signatures?.checkChunk();
  }

  private takeEndOfContent(bytes: Uint8Array): Uint8Array {
    const end = bytes.subarray(0, CRLF.length - this.held.length);
    this.hold(end, CRLF.length, malformedBody);
    if (!CRLF.subarray(0, this.held.length).equals(this.held)) throw malformedBody();
    if (this.held.length === CRLF.length) {
      this.held = NOTHING;
      this.state = 'line';
    }
    return bytes.subarray(end.length);
  }

  private hold(bytes: Uint8Array, maxBytes: number, tooMuch: () => S3Error): void {
    if (this.held.length + bytes.length > maxBytes) throw tooMuch();
    this.held = Buffer.concat([this.held, bytes]);
  }
}

/** Each signature covers the previous one, so that no chunk can be omitted or moved. */
class ChunkSignatures {
  private readonly signing: ChunkSigning;
  private readonly context: string;
  private before: string;
  private given = '';
  private hash: Hash = createHash('sha256');

  constructor(signing: ChunkSigning) {
    this.signing = signing;
    this.context = `${signing.amzDate}\n${toScopeText(signing.scope)}`;
    this.before = signing.seedSignature;
  }

  begin(signature: string): void {
    this.given = signature.toLowerCase();
    this.hash = createHash('sha256');
  }

  update(content: Uint8Array): void {
    this.hash.update(content);
  }

  checkChunk(): void {
    const hashes = `${SHA256_OF_NOTHING}\n${this.hash.digest('hex')}`;
    this.check(`${ALGORITHM}-PAYLOAD\n${this.context}\n${this.before}\n${hashes}`, this.given);
  }

  checkTrailers(trailers: ReadonlyMap<string, string>): void {
    const signed = [...trailers].filter(([name]) => name !== TRAILER_SIGNATURE);
    const hash = sha256Hex(signed.map(([name, value]) => `${name}:${value}\n`).join(''));
    const given = trailers.get(TRAILER_SIGNATURE) ?? '';
    this.check(`${ALGORITHM}-TRAILER\n${this.context}\n${this.before}\n${hash}`, given);
  }

  private check(stringToSign: string, given: string): void {
    const expected = Buffer.from(sign(this.signing.signingKey, stringToSign), 'latin1');
    const signature = Buffer.from(given, 'latin1');
    if (signature.length !== expected.length || !timingSafeEqual(expected, signature))
      throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk or of the trailers is wrong.');
    this.before = given;
  }
}

function toTrailers(text: string): Map<string, string> {
  const trailers = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const [, name, value] = /^([\w-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || trailers.has(name.toLowerCase()))
      throw malformedTrailer();
    trailers.set(name.toLowerCase(), value.trim());
  }
  return trailers;
}

const malformedBody = () => new S3Error('InvalidRequest', 'The body is not valid aws-chunked data.');

const malformedTrailer = () =>
  new S3Error('MalformedTrailerError', 'The trailers of the body are not those that were announced.');

export const incompleteBody = () =>
  new S3Error('IncompleteBody', 'The body is shorter or longer than announced. Send it again.');
