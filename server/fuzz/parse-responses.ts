/** Parses HTTP responses from the bytes of a connection strictly: a tolerant client would hide mistakes. */

export interface ParsedResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** False for a stream, of which only the beginning is awaited. */
  readonly isWhole: boolean;
}

export interface Parsed {
  readonly responses: readonly ParsedResponse[];
  /** Bytes after the last complete response. */
  readonly rest: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** @param isClosed whether no more bytes will arrive: a body without a length ends there */
export function parseResponses(bytes: Buffer, method: string, isClosed: boolean): Parsed {
  const responses: ParsedResponse[] = [];
  let rest = bytes;
  for (;;) {
    const found = parseOne(rest, method, isClosed);
    if (!found) return { responses, rest };
    // An interim response only says that the body may be sent.
    if (found.response.status >= 200) responses.push(found.response);
    rest = rest.subarray(found.length);
  }
}

function parseOne(
  bytes: Buffer,
  method: string,
  isClosed: boolean,
): { response: ParsedResponse; length: number } | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`This is not a status line: ${JSON.stringify(first)}`);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const start = end + HEAD_END.length;
  const body = readBody(bytes.subarray(start), { status, method, headers, isClosed });
  if (!body) return undefined;
  const { content, length, isWhole } = body;
  return { response: { status, headers, body: content, isWhole }, length: start + length };
}

interface Framing {
  readonly status: number;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
}

interface Body {
  readonly content: Buffer;
  /** Length in bytes of the connection. */
  readonly length: number;
  readonly isWhole: boolean;
}

function readBody(bytes: Buffer, { status, method, headers, isClosed }: Framing): Body | undefined {
  const nothing = { content: Buffer.alloc(0), length: 0, isWhole: true };
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') return nothing;
  if (headers.get('content-type')?.startsWith('text/event-stream'))
    return { content: bytes, length: bytes.length, isWhole: false };
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes);
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (!Number.isNaN(length))
    return bytes.length < length ? undefined : { content: bytes.subarray(0, length), length, isWhole: true };
  return isClosed ? { content: bytes, length: bytes.length, isWhole: true } : undefined;
}

function readChunks(bytes: Buffer): Body | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || bytes.length < next) return undefined;
    if (size === 0) return { content: Buffer.concat(pieces), length: next, isWhole: true };
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
