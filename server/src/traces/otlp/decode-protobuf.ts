/** Decodes an ExportTraceServiceRequest in protobuf span by span. */
import { MAX_SOURCE_BYTES, MemberCount } from './member-count.ts';
import type { DecodedSpan, KeyValue, SpanSource, SpanStream } from './model.ts';
import { readSpan } from './protobuf-span.ts';
import { readKeyValue } from './protobuf-values.ts';
import { WireReader } from './wire-reader.ts';

/** Field tags of the request (its resources), and of resources and scopes (the message itself, its members, its schema URL). */
const RESOURCE_SPANS = (1 << 3) | 2;
const SELF = (1 << 3) | 2;
const MEMBERS = (2 << 3) | 2;
const SCHEMA_URL = (3 << 3) | 2;

type Item = { readonly source: SpanSource; readonly span: DecodedSpan };

/** Ids and bytes are views of the body. A truncated body is refused before the first span. */
export function decodeProtobuf(body: Uint8Array): SpanStream {
  const reader = new WireReader(body);
  while (reader.hasMore()) passResource(reader);
  reader.seek(0);
  return readRequest(reader, new MemberCount());
}

function passResource(reader: WireReader): void {
  const tag = reader.tag();
  if (tag === RESOURCE_SPANS) reader.skipMessage();
  else reader.skip(tag, 1);
}

function* readRequest(reader: WireReader, count: MemberCount): Generator<Item> {
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === RESOURCE_SPANS) yield* readResourceSpans(reader, count);
    else reader.skip(tag, 1);
  }
}

/** The resource may come after its spans, so it is searched first. */
function* readResourceSpans(reader: WireReader, count: MemberCount): Generator<Item> {
  count.add();
  const outer = reader.enter();
  const start = reader.position;
  const resource = { attributes: [] as KeyValue[], droppedAttributesCount: 0, schemaUrl: '' };
  reader.startCount(MAX_SOURCE_BYTES);
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === SELF) readResource(reader, resource);
    else if (tag === MEMBERS) reader.skipMessage();
    else if (tag === SCHEMA_URL) resource.schemaUrl = reader.text();
    else reader.skip(tag, 3);
  }
  reader.seek(start);
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === MEMBERS) yield* readScopeSpans(reader, count, resource);
    else reader.skip(tag, 0);
  }
  reader.leave(outer);
}

function* readScopeSpans(
  reader: WireReader,
  count: MemberCount,
  resource: SpanSource['resource'],
): Generator<Item> {
  count.add();
  const outer = reader.enter();
  const start = reader.position;
  const scope = {
    name: '',
    version: '',
    attributes: [] as KeyValue[],
    droppedAttributesCount: 0,
    schemaUrl: '',
  };
  reader.startCount(MAX_SOURCE_BYTES);
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === SELF) readScope(reader, scope);
    else if (tag === MEMBERS) reader.skipMessage();
    else if (tag === SCHEMA_URL) scope.schemaUrl = reader.text();
    else reader.skip(tag, 3);
  }
  const source: SpanSource = { resource, scope };
  reader.seek(start);
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === MEMBERS) {
      count.add();
      yield { source, span: readSpan(reader) };
    } else reader.skip(tag, 0);
  }
  reader.leave(outer);
}

function readResource(
  reader: WireReader,
  resource: { attributes: KeyValue[]; droppedAttributesCount: number },
): void {
  const outer = reader.enter();
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | 2)) resource.attributes.push(readKeyValue(reader));
    else if (tag === 2 << 3) resource.droppedAttributesCount = reader.uint32();
    else reader.skip(tag, 2);
  }
  reader.leave(outer);
}

function readScope(
  reader: WireReader,
  scope: { name: string; version: string; attributes: KeyValue[]; droppedAttributesCount: number },
): void {
  const outer = reader.enter();
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | 2)) scope.name = reader.text();
    else if (tag === ((2 << 3) | 2)) scope.version = reader.text();
    else if (tag === ((3 << 3) | 2)) scope.attributes.push(readKeyValue(reader));
    else if (tag === 4 << 3) scope.droppedAttributesCount = reader.uint32();
    else reader.skip(tag, 4);
  }
  reader.leave(outer);
}
