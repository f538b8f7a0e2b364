/** Reads resources, scopes, and spans with their events and links, from the objects of OTLP/JSON. */
import { isObject, type Json, type Shapes } from './json-shapes.ts';
import { readAttributes } from './json-values.ts';
import { checkCount } from './member-count.ts';
import type { DecodedSpan, SpanEvent, SpanLink, SpanSource } from './model.ts';

const LAST_KIND = 5;
const LAST_STATUS = 2;

/** OTLP may add values: unknown ones are read as unspecified. */
const knownKind = (kind: number) => (kind <= LAST_KIND ? kind : 0);
const knownStatus = (code: number) => (code <= LAST_STATUS ? code : 0);

/** @param object with the resource and the URL of its schema; spans in it are ignored */
export function readResource(shapes: Shapes, object: Json): SpanSource['resource'] {
  const resource = shapes.object(object, 'resource') ?? {};
  const schemaUrl = shapes.text(object, 'schemaUrl');
  shapes.path.push('resource');
  const attributes = readAttributes(shapes, resource);
  const droppedAttributesCount = shapes.uint32(resource, 'droppedAttributesCount');
  shapes.path.pop();
  return { attributes, droppedAttributesCount, schemaUrl };
}

/** @param object with the scope and the URL of its schema; spans in it are ignored */
export function readScope(shapes: Shapes, object: Json): SpanSource['scope'] {
  const scope = shapes.object(object, 'scope') ?? {};
  const schemaUrl = shapes.text(object, 'schemaUrl');
  shapes.path.push('scope');
  const name = shapes.text(scope, 'name');
  const version = shapes.text(scope, 'version');
  const attributes = readAttributes(shapes, scope);
  const droppedAttributesCount = shapes.uint32(scope, 'droppedAttributesCount');
  shapes.path.pop();
  return { name, version, attributes, droppedAttributesCount, schemaUrl };
}

export function readSpan(shapes: Shapes, span: Json): DecodedSpan {
  const status = shapes.object(span, 'status') ?? {};
  return {
    traceId: shapes.id(span, 'traceId'),
    spanId: shapes.id(span, 'spanId'),
    parentSpanId: shapes.id(span, 'parentSpanId'),
    traceState: shapes.text(span, 'traceState'),
    flags: shapes.uint32(span, 'flags'),
    name: shapes.text(span, 'name'),
    kind: knownKind(shapes.enumeration(span, 'kind')),
    startTimeUnixNano: shapes.uint64(span, 'startTimeUnixNano'),
    endTimeUnixNano: shapes.uint64(span, 'endTimeUnixNano'),
    attributes: readAttributes(shapes, span),
    droppedAttributesCount: shapes.uint32(span, 'droppedAttributesCount'),
    events: readMembers(shapes, span, 'events', readEvent),
    droppedEventsCount: shapes.uint32(span, 'droppedEventsCount'),
    links: readMembers(shapes, span, 'links', readLink),
    droppedLinksCount: shapes.uint32(span, 'droppedLinksCount'),
    ...readStatus(shapes, status),
  };
}

function readStatus(shapes: Shapes, status: Json): Pick<DecodedSpan, 'statusCode' | 'statusMessage'> {
  shapes.path.push('status');
  const statusCode = knownStatus(shapes.enumeration(status, 'code'));
  const statusMessage = shapes.text(status, 'message');
  shapes.path.pop();
  return { statusCode, statusMessage };
}

function readMembers<T>(
  shapes: Shapes,
  span: Json,
  field: string,
  read: (shapes: Shapes, member: Json) => T,
): readonly T[] {
  const list = shapes.list(span, field);
  checkCount(list.length);
  const members: T[] = [];
  shapes.path.push(field);
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    shapes.path.push(index);
    if (isObject(item)) members.push(read(shapes, item));
    else shapes.wrong('an object');
    shapes.path.pop();
  }
  shapes.path.pop();
  return members;
}

const readEvent = (shapes: Shapes, event: Json): SpanEvent => ({
  timeUnixNano: shapes.uint64(event, 'timeUnixNano'),
  name: shapes.text(event, 'name'),
  attributes: readAttributes(shapes, event),
  droppedAttributesCount: shapes.uint32(event, 'droppedAttributesCount'),
});

const readLink = (shapes: Shapes, link: Json): SpanLink => ({
  traceId: shapes.id(link, 'traceId'),
  spanId: shapes.id(link, 'spanId'),
  traceState: shapes.text(link, 'traceState'),
  flags: shapes.uint32(link, 'flags'),
  attributes: readAttributes(shapes, link),
  droppedAttributesCount: shapes.uint32(link, 'droppedAttributesCount'),
});
