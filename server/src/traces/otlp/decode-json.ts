/** Decodes an ExportTraceServiceRequest in OTLP/JSON span by span: only one span at a time is in memory as objects. */
import { ApiError } from '../../platform/errors.ts';
import { JsonScanner, type Piece } from './json-scanner.ts';
import { type Json, Shapes } from './json-shapes.ts';
import { readResource, readScope, readSpan } from './json-span.ts';
import { MAX_SOURCE_BYTES, MemberCount } from './member-count.ts';
import type { DecodedSpan, SpanSource, SpanStream } from './model.ts';

const NO_RESOURCE_SPANS =
  'The body has no "resourceSpans", so it holds no OTLP spans; send an ExportTraceServiceRequest.';

const RESOURCE_FIELDS = ['resource', 'scopeSpans', 'schemaUrl'] as const;
const SCOPE_FIELDS = ['scope', 'spans', 'schemaUrl'] as const;

type Item = { readonly source: SpanSource; readonly span: DecodedSpan };

/**
 * A body that is not UTF-8, is truncated or is nested too deep is refused before the first span. After the first wrong value no more spans
 * follow; the remaining wrong values are collected for the error.
 */
export function decodeJson(body: Uint8Array): SpanStream {
  const scanner = new JsonScanner(body);
  return new JsonDecoder(scanner).read(scanner.whole());
}

class JsonDecoder {
  private readonly scanner: JsonScanner;
  private readonly shapes = new Shapes();
  private readonly count = new MemberCount();

  constructor(scanner: JsonScanner) {
    this.scanner = scanner;
  }

  *read(request: Piece): Generator<Item> {
    if (this.isObject(request)) {
      const { resourceSpans } = this.scanner.fields(request, ['resourceSpans']);
      // An exporter without spans may send an empty object.
      if (!resourceSpans && !this.scanner.isEmpty(request))
        throw new ApiError('invalid_error', NO_RESOURCE_SPANS);
      for (const member of this.members('resourceSpans', resourceSpans)) yield* this.readResource(member);
    }
    this.shapes.finish();
  }

  private *readResource(piece: Piece): Generator<Item> {
    const { resource, scopeSpans, schemaUrl } = this.scanner.fields(piece, RESOURCE_FIELDS);
    const whole = readResource(this.shapes, this.parsed({ resource, schemaUrl }));
    for (const member of this.members('scopeSpans', scopeSpans)) yield* this.readScope(member, whole);
  }

  private *readScope(piece: Piece, resource: SpanSource['resource']): Generator<Item> {
    const { scope, spans, schemaUrl } = this.scanner.fields(piece, SCOPE_FIELDS);
    const source = { resource, scope: readScope(this.shapes, this.parsed({ scope, schemaUrl })) };
    for (const member of this.members('spans', spans)) {
      const span = readSpan(this.shapes, this.scanner.parse(member) as Json);
      if (this.shapes.isFine) yield { source, span };
    }
  }

  /** Yields the objects in an optional array and sets the path to each of them. */
  private *members(field: string, array: Piece | undefined): Generator<Piece> {
    this.shapes.path.push(field);
    if (array && this.scanner.isArray(array)) {
      let index = 0;
      for (const element of this.scanner.elements(array)) {
        this.count.add();
        this.shapes.path.push(index++);
        if (this.isObject(element)) yield element;
        this.shapes.path.pop();
      }
    } else if (array && this.scanner.parse(array) !== null) this.shapes.wrong('an array');
    this.shapes.path.pop();
  }

  private isObject(piece: Piece): boolean {
    if (this.scanner.isObject(piece)) return true;
    this.scanner.parse(piece);
    this.shapes.wrong('an object');
    return false;
  }

  private parsed(pieces: Readonly<Record<string, Piece | undefined>>): Json {
    const parsed: Record<string, unknown> = {};
    for (const [name, piece] of Object.entries(pieces))
      parsed[name] = piece && this.scanner.parse(piece, MAX_SOURCE_BYTES);
    return parsed;
  }
}
