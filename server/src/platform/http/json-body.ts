/** Reads JSON bodies: strict UTF-8, a bounded depth, and the house's error for everything else. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

export const BODY_DEPTH = 64;

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly passesBodyOn?: true;
  }
  interface FastifyRequest {
    bodyText: BodyText | undefined;
  }
}

/** A body that is passed on, as it was sent. */
export interface BodyText {
  readonly text: string;
  /** Of the object that it is: more than there are names where one comes again. */
  readonly memberCount: number;
}

/** Once: it is as large as the body, and the answer may take hours. */
export function takeBodyText(request: FastifyRequest): BodyText | undefined {
  const { bodyText } = request;
  request.bodyText = undefined;
  return bodyText;
}

const invalid = (detail: string, cause?: unknown) => new ApiError('invalid_error', detail, { cause });

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyText', undefined);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      done(null, parseJsonBody(request, body));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    const isPlain = encoding === undefined || encoding === 'identity';
    const { upload } = request.routeOptions.config;
    const isTaken = isPlain || upload?.contentEncodings !== undefined; // an upload's has been looked at
    done(isTaken ? null : invalid(`Content-Encoding "${encoding}" is not supported here.`), payload);
  });
}

function parseJsonBody(request: FastifyRequest, body: Buffer): unknown {
  const type = request.headers['content-type'] ?? '';
  const charset = type === 'application/json' ? undefined : /charset="?([^";\s]+)/i.exec(type)?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw invalid(`Send JSON in UTF-8, not in ${charset}.`);
  if (body.length === 0) return undefined;
  const text = decode(body);
  const { depth, memberCount, mayBeInexact } = scan(text);
  if (depth > BODY_DEPTH) throw invalid(`The JSON is nested deeper than ${BODY_DEPTH} levels.`);
  const { passesBodyOn } = request.routeOptions.config;
  if (passesBodyOn) request.bodyText = { text, memberCount };
  try {
    return passesBodyOn && mayBeInexact ? parse(text, keepNumber) : JSON.parse(text);
  } catch (cause) {
    throw invalid('The body is not valid JSON.', cause);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch (cause) {
    throw invalid('The body is not valid UTF-8.', cause);
  }
}

/** A number that is no longer has no more digits than a double. */
const EXACT_LENGTH = 15;
/** Below it, doubles have fewer digits. */
const SMALLEST_NORMAL = 2 ** -1022;
const MAX_LOOKED_AT = 100;

/** Written again, it is what was read: also a seed of 64 bits. */
function keepNumber(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return isHeld(source, value) ? value : rawJSON(source);
}

/** Whether a double holds all of its digits, however they are written. */
function isHeld(source: string, value: number): boolean {
  // What follows would take long for a megabyte of zeros.
  if (source.length > MAX_LOOKED_AT) return false;
  const [digits = ''] = source.replace(/[-.]/g, '').split(/e/i);
  const significant = digits.replace(/^0+|0+$/g, '');
  if (significant === '') return true;
  return significant.length <= EXACT_LENGTH && Number.isFinite(value) && Math.abs(value) >= SMALLEST_NORMAL;
}

/** A number that was kept as it was written, for who counts with it; everything else as it is. */
export const toCountable = (value: unknown): unknown =>
  isRawJSON(value) ? Number((value as { readonly rawJSON: string }).rawJSON) : value;

/** TypeScript does not know these yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: typeof keepNumber): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
/** What makes a brace of a bracket, and a small letter of a capital. */
const BRACE = 0x20;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const EXPONENT = 0x45;

interface Scan {
  /** How deep the brackets outside of strings go. */
  readonly depth: number;
  /** Of the outermost object. */
  readonly memberCount: number;
  /** It holds a number with more digits than a double has, or with a large exponent; few do. */
  readonly mayBeInexact: boolean;
}

/** Before anything is built from it. */
function scan(json: string): Scan {
  let open = 0;
  let depth = 0;
  let memberCount = 0;
  let mayBeInexact = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    const kind = code & ~BRACE;
    if (code === QUOTE) at = endOfString(json, at);
    else if (kind === OPENING_BRACKET) depth = Math.max(depth, ++open);
    else if (kind === CLOSING_BRACKET) open--;
    else if (code === COLON && open === 1) memberCount++;
    else if (isDigit(code)) {
      const end = endOfNumber(json, at);
      mayBeInexact ||= end - at > EXACT_LENGTH || hasLargeExponent(json, end);
      at = end - 1;
    }
  }
  return { depth, memberCount, mayBeInexact };
}

/** Of two digits, or more. */
function hasLargeExponent(json: string, at: number): boolean {
  if ((json.charCodeAt(at) & ~BRACE) !== EXPONENT) return false;
  const from = isDigit(json.charCodeAt(at + 1)) ? at + 1 : at + 2;
  return isDigit(json.charCodeAt(from)) && isDigit(json.charCodeAt(from + 1));
}

export const depthOf = (json: string): number => scan(json).depth;

const isDigit = (code: number) => code >= ZERO && code <= NINE;

/** Before its exponent, where it has one. */
function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (isDigit(json.charCodeAt(at)) || json.charCodeAt(at) === POINT) at++;
  return at;
}

/** By looking for quotes only, since a body is strings for the most part. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return json.length;
}
