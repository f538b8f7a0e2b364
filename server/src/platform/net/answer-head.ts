/** The head of an answer in HTTP/1.1, read strictly: what could be meant in two ways is not taken. */
import { OutboundError } from './outbound-error.ts';

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** How the end of a body is found. */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'close';

export interface AnswerHead {
  readonly status: number;
  /** By names in lower case; a list where one comes again. */
  readonly headers: AnswerHeaders;
  readonly framing: BodyFraming;
  /** Of its body, where that is how its end is found. */
  readonly length: number;
  /** For how long the other side keeps the connection: as long as we like unless it says so; 0 where it closes it. */
  readonly keptForMs: number;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [^\0\r\n]*)?$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([^\0\r\n]*?)[ \t]*$/;
const LENGTH = /^\d{1,15}$/;

/** @param text without the empty line at its end. @throws {OutboundError} `garbage` */
export function parseHead(text: string, method: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, digits] = STATUS_LINE.exec(first) ?? [];
  if (digits === undefined) throw garbage('What it answered is no HTTP.');
  const headers = parseHeaders(lines);
  const status = Number(digits);
  return {
    status,
    headers,
    ...frame(headers, method === 'HEAD' || status < 200 || status === 204 || status === 304),
    keptForMs: minor === '0' ? 0 : keptForMs(headers),
  };
}

function parseHeaders(lines: readonly string[]): Record<string, string | string[]> {
  // Without a prototype: the other side chooses the names.
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (const line of lines) {
    const [, given, value] = HEADER_LINE.exec(line) ?? [];
    if (given === undefined || value === undefined) throw garbage('What it answered is no HTTP.');
    const name = given.toLowerCase();
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

function frame(headers: AnswerHeaders, isWithoutBody: boolean): Pick<AnswerHead, 'framing' | 'length'> {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    const isChunked = typeof coding === 'string' && coding.toLowerCase() === 'chunked';
    if (!isChunked || length !== undefined) throw garbage('It does not say clearly where its answer ends.');
  }
  if (length !== undefined && (typeof length !== 'string' || !LENGTH.test(length)))
    throw garbage('It does not say clearly how long its answer is.');
  if (isWithoutBody) return { framing: 'none', length: 0 };
  if (coding !== undefined) return { framing: 'chunked', length: 0 };
  if (length === undefined) return { framing: 'close', length: 0 };
  const count = Number(length);
  // Also where it is written as 00.
  return { framing: count === 0 ? 'none' : 'length', length: count };
}

/** What it says is when it closes the connection: a little before that, it may do so while we send. */
const CLOSING_MS = 1_000;

function keptForMs({ connection, 'keep-alive': parameters }: AnswerHeaders): number {
  if (connection !== undefined && /(^|,)[ \t]*close[ \t]*(,|$)/i.test(String(connection))) return 0;
  const seconds = parameters === undefined ? undefined : /\btimeout=(\d{1,9})/i.exec(String(parameters))?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) * 1000 - CLOSING_MS);
}

export const garbage = (message: string) => new OutboundError('garbage', message);
