/**
 * The messages of OTLP traces as tables: the fields of each by number, under the names that they have in OTLP/JSON. A field that a table does
 * not name is skipped; a new field of OTLP is a new line here and in what reads the objects.
 */
import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire';

export interface Field {
  readonly name: string;
  readonly type: WireType;
  /** Reads a value that is not a message. */
  readonly read?: (reader: BinaryReader) => unknown;
  readonly message?: Message;
  readonly isRepeated?: boolean;
  /** Whether its messages are read one by one instead of with the message around them. */
  readonly isMember?: boolean;
}

export interface Message {
  /** Fields by their number. */
  readonly fields: (Field | undefined)[];
  /** Whether the fields exclude each other; the last one counts. */
  readonly isOneof?: boolean;
}

const { Varint, Bit32, Bit64, LengthDelimited } = WireType;

const text = (name: string): Field => ({ name, type: LengthDelimited, read: (reader) => reader.string() });
const bytes = (name: string): Field => ({ name, type: LengthDelimited, read: (reader) => reader.bytes() });
const bool = (name: string): Field => ({ name, type: Varint, read: (reader) => reader.bool() });
const uint32 = (name: string): Field => ({ name, type: Varint, read: (reader) => reader.uint32() });
const int64 = (name: string): Field => ({ name, type: Varint, read: (reader) => reader.int64() });
const fixed32 = (name: string): Field => ({ name, type: Bit32, read: (reader) => reader.fixed32() });
const fixed64 = (name: string): Field => ({ name, type: Bit64, read: (reader) => reader.fixed64() });
const double = (name: string): Field => ({ name, type: Bit64, read: (reader) => reader.double() });
const one = (name: string, message: Message): Field => ({ name, type: LengthDelimited, message });
const many = (name: string, message: Message): Field => ({ ...one(name, message), isRepeated: true });
const members = (name: string): Field => ({ name, type: LengthDelimited, isMember: true });

const message = (fields: Readonly<Record<number, Field>>, isOneof = false): Message => {
  const all: (Field | undefined)[] = [];
  for (const [number, field] of Object.entries(fields)) all[Number(number)] = field;
  return { fields: all, isOneof };
};

const ANY_VALUE = message(
  {
    1: text('stringValue'),
    2: bool('boolValue'),
    3: int64('intValue'),
    4: double('doubleValue'),
    7: bytes('bytesValue'),
  },
  true,
);
const KEY_VALUE = message({ 1: text('key'), 2: one('value', ANY_VALUE) });
ANY_VALUE.fields[5] = one('arrayValue', message({ 1: many('values', ANY_VALUE) }));
ANY_VALUE.fields[6] = one('kvlistValue', message({ 1: many('values', KEY_VALUE) }));

const EVENT = message({
  1: fixed64('timeUnixNano'),
  2: text('name'),
  3: many('attributes', KEY_VALUE),
  4: uint32('droppedAttributesCount'),
});

const LINK = message({
  1: bytes('traceId'),
  2: bytes('spanId'),
  3: text('traceState'),
  4: many('attributes', KEY_VALUE),
  5: uint32('droppedAttributesCount'),
  6: fixed32('flags'),
});

export const SPAN = message({
  1: bytes('traceId'),
  2: bytes('spanId'),
  3: text('traceState'),
  4: bytes('parentSpanId'),
  5: text('name'),
  6: uint32('kind'),
  7: fixed64('startTimeUnixNano'),
  8: fixed64('endTimeUnixNano'),
  9: many('attributes', KEY_VALUE),
  10: uint32('droppedAttributesCount'),
  11: many('events', EVENT),
  12: uint32('droppedEventsCount'),
  13: many('links', LINK),
  14: uint32('droppedLinksCount'),
  15: one('status', message({ 2: text('message'), 3: uint32('code') })),
  16: fixed32('flags'),
});

const RESOURCE = message({ 1: many('attributes', KEY_VALUE), 2: uint32('droppedAttributesCount') });

const SCOPE = message({
  1: text('name'),
  2: text('version'),
  3: many('attributes', KEY_VALUE),
  4: uint32('droppedAttributesCount'),
});

export const SCOPE_SPANS = message({ 1: one('scope', SCOPE), 2: members('spans'), 3: text('schemaUrl') });

export const RESOURCE_SPANS = message({
  1: one('resource', RESOURCE),
  2: members('scopeSpans'),
  3: text('schemaUrl'),
});

export const REQUEST = message({ 1: members('resourceSpans') });
