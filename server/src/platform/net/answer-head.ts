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

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Beside the ends of lines. */
const UNREADABLE = /\0|\r(?!\n)|(?<!\r)\n/;
const LENGTH = /^\d{1,15}$/;
const SPACE = 0x20;
const TAB = 0x09;

/** @param text without the empty line at its end. @throws {OutboundError} `garbage` */
export function parseHead(text: string, method: string): AnswerHead {
  if (UNREADABLE.test(text)) throw noHttp();
  const firstEnd = endOfLine(text, 0);
  const [, minor, digits] = STATUS_LINE.exec(text.slice(0, firstEnd)) ?? [];
  if (digits === undefined) throw noHttp();
  const headers = parseHeaders(text, firstEnd + 2);
  const status = Number(digits);
  const { framing, length } = frame(
    headers,
    method === 'HEAD' || status < 200 || status === 204 || status === 304,
  );
  return { status, headers, framing, length, keptForMs: minor === '0' ? 0 : keptForMs(headers) };
}

/** Line by line in the text itself: to split it, and to match each line as a whole, takes twice as long. */
function parseHeaders(text: string, from: number): Record<string, string | string[]> {
  // Without a prototype: the other side chooses the names.
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (let start = from; start <= text.length; ) {
    const end = endOfLine(text, start);
    const colon = text.indexOf(':', start);
    if (colon === -1 || colon >= end) throw noHttp();
    const name = nameOf(text.slice(start, colon));
    const value = valueIn(text, colon + 1, end);
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
    start = end + 2;
  }
  return headers;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r\n', start);
  return end === -1 ? text.length : end;
}

/** By how they are written: all answers of a server write them alike. */
const names = new Map<string, string>();
const MAX_NAMES = 1_000;
const MAX_KNOWN_LENGTH = 64;

function nameOf(given: string): string {
  const known = names.get(given);
  if (known !== undefined) return known;
  if (!NAME.test(given)) throw noHttp();
  const name = given.toLowerCase();
  if (given.length > MAX_KNOWN_LENGTH) return name;
  if (names.size >= MAX_NAMES) names.clear();
  // A copy: a part of a text keeps all of it.
  names.set(Buffer.from(given).toString(), Buffer.from(name).toString());
  return name;
}

function valueIn(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number) => code === SPACE || code === TAB;

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

const noHttp = () => garbage('What it answered is no HTTP.');

export const garbage = (message: string) => new OutboundError('garbage', message);
