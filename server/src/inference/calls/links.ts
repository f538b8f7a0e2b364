/** Reads what a call belongs to: from headers, or from the metadata of the request, which takes precedence. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidValue } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import type { CallLinks } from '../call-ledger.ts';

type Metadata = Readonly<Record<string, unknown>>;

const PREFIX = 'drydock.';
const SESSION = 'drydock.session_id';
const TRACE = 'drydock.trace_id';
const SPAN = 'drydock.span_id';
const KNOWN = new Set([SESSION, TRACE, SPAN]);

const SESSION_HEADER = 'x-drydock-session';
/** Later versions may append fields. */
const traceparentPattern = /^(?!ff|00.{53}-)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-|$)/;

export function readLinks(headers: IncomingHttpHeaders, metadata: Metadata | null | undefined): CallLinks {
  const given = metadata ?? {};
  requireKnown(given);
  const span = readSpan(given) ?? readTraceparent(headers);
  return {
    sessionId: readSession(given, headers),
    traceId: span?.traceId ?? null,
    spanId: span?.spanId ?? null,
  };
}

/**
 * Removes the metadata that is meant for the gateway only.
 * @returns undefined when nothing else is left
 */
export function withoutLinks(metadata: Metadata): Metadata | undefined {
  const entries = Object.entries(metadata);
  const others = entries.filter(([name]) => !KNOWN.has(name));
  if (others.length === entries.length) return metadata;
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** Refuses unknown keys, since a misspelt link would be lost silently. */
function requireKnown(metadata: Metadata): void {
  for (const name of Object.keys(metadata)) {
    if (name.startsWith(PREFIX) && !KNOWN.has(name))
      throw invalidValue(['body', 'metadata', name], `is none of ${[...KNOWN].join(', ')}`);
  }
}

function readSession(metadata: Metadata, headers: IncomingHttpHeaders): string | null {
  const inMetadata = metadata[SESSION];
  if (inMetadata !== undefined) return requireUuid(inMetadata, ['body', 'metadata', SESSION]);
  const inHeader = headers[SESSION_HEADER];
  return inHeader === undefined ? null : requireUuid(inHeader, ['header', SESSION_HEADER]);
}

function requireUuid(value: unknown, loc: readonly string[]): string {
  if (typeof value === 'string' && isUuid(value)) return value.toLowerCase();
  throw invalidValue(loc, 'must be the uuid of a session');
}

interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

function readSpan(metadata: Metadata): SpanLink | undefined {
  const { [TRACE]: trace, [SPAN]: span } = metadata;
  if (trace === undefined && span === undefined) return undefined;
  return { traceId: requireHex(trace, TRACE, 32), spanId: requireHex(span, SPAN, 16) };
}

function requireHex(value: unknown, name: string, digits: number): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text.length === digits && /^[0-9a-f]+$/.test(text) && !isZero(text)) return text;
  const msg =
    value === undefined
      ? `is required: ${TRACE} and ${SPAN} name a span together`
      : `must be ${digits} hexadecimal digits, not all zero`;
  throw invalidValue(['body', 'metadata', name], msg);
}

/** Ignores a malformed header, as its standard demands. */
function readTraceparent({ traceparent }: IncomingHttpHeaders): SpanLink | undefined {
  const [, traceId, spanId] = (typeof traceparent === 'string' && traceparentPattern.exec(traceparent)) || [];
  if (!traceId || !spanId || isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId };
}

const isZero = (hex: string) => /^0+$/.test(hex);
