/** Decodes an ExportTraceServiceRequest in protobuf span by span: each part becomes the object that OTLP/JSON has for it. */
import { Shapes } from './json-shapes.ts';
import { readResource, readScope, readSpan } from './json-span.ts';
import { MAX_SOURCE_BYTES, MemberCount } from './member-count.ts';
import type { DecodedSpan, SpanSource, SpanStream } from './model.ts';
import { REQUEST, RESOURCE_SPANS, SCOPE_SPANS, SPAN } from './protobuf-fields.ts';
import { ProtobufReader } from './protobuf-reader.ts';

const MAX_SPAN_BYTES = 16 * 2 ** 20;

/** Ids and bytes are views of the body. A truncated body is refused before the first span. */
export function decodeProtobuf(body: Uint8Array): SpanStream {
  const reader = new ProtobufReader(body);
  // The request has fields of no other kind, so this only finds where it is truncated, and refuses one of unknown fields.
  reader.read(reader.whole, REQUEST, MAX_SOURCE_BYTES);
  return readRequest(reader);
}

/** The resource and the scope may come after their spans, so they are read first. */
function* readRequest(
  reader: ProtobufReader,
): Generator<{ readonly source: SpanSource; readonly span: DecodedSpan }> {
  const shapes = new Shapes();
  const count = new MemberCount();
  for (const resourceSpans of reader.members(reader.whole, REQUEST)) {
    count.add();
    const ofResource = reader.read(resourceSpans, RESOURCE_SPANS, MAX_SOURCE_BYTES);
    const resource = readResource(shapes, ofResource);
    for (const scopeSpans of reader.members(resourceSpans, RESOURCE_SPANS)) {
      count.add();
      const ofScope = reader.read(scopeSpans, SCOPE_SPANS, MAX_SOURCE_BYTES);
      const source = { resource, scope: readScope(shapes, ofScope) };
      for (const span of reader.members(scopeSpans, SCOPE_SPANS)) {
        count.add();
        yield { source, span: readSpan(shapes, reader.read(span, SPAN, MAX_SPAN_BYTES)) };
      }
    }
  }
}
