/** Reads attributes and their values from protobuf. */
import { type AnyValue, Double, type KeyValue, KeyValueList } from './model.ts';
import type { WireReader } from './wire-reader.ts';

const KEY = (1 << 3) | 2;
const VALUE = (2 << 3) | 2;

/** Members of a oneof; the last one counts. */
const STRING = (1 << 3) | 2;
const BOOL = 2 << 3;
const INT = 3 << 3;
const DOUBLE = (4 << 3) | 1;
const ARRAY = (5 << 3) | 2;
const KEY_VALUE_LIST = (6 << 3) | 2;
const BYTES = (7 << 3) | 2;

/** Field tags of an array, and of a list of keys and values. */
const VALUES = (1 << 3) | 2;

export function readKeyValue(reader: WireReader): KeyValue {
  const outer = reader.enter();
  reader.countValue();
  let key = '';
  let value: AnyValue = null;
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === KEY) key = reader.key();
    else if (tag === VALUE) value = readValue(reader, value);
    else reader.skip(tag, 2);
  }
  reader.leave(outer);
  return { key, value };
}

/** @param before the previous value of the same field: a repeated message is merged */
function readValue(reader: WireReader, before: AnyValue): AnyValue {
  const outer = reader.enter();
  let value = before;
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === STRING) value = reader.text();
    else if (tag === INT) value = reader.int64();
    else if (tag === DOUBLE) value = new Double(reader.double());
    else if (tag === BOOL) value = reader.bool();
    else if (tag === ARRAY) value = readArray(reader, value);
    else if (tag === KEY_VALUE_LIST) value = readList(reader, value);
    else if (tag === BYTES) value = reader.view8();
    else reader.skip(tag, 7);
  }
  reader.leave(outer);
  return value;
}

function readArray(reader: WireReader, before: AnyValue): AnyValue {
  const outer = reader.enter();
  const items: AnyValue[] = Array.isArray(before) ? before : [];
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === VALUES) {
      reader.countValue();
      items.push(readValue(reader, null));
    } else reader.skip(tag, 1);
  }
  reader.leave(outer);
  return items;
}

function readList(reader: WireReader, before: AnyValue): AnyValue {
  const outer = reader.enter();
  const list = before instanceof KeyValueList ? before : new KeyValueList([]);
  const entries = list.entries as KeyValue[];
  while (reader.hasMore()) {
    const tag = reader.tag();
    if (tag === VALUES) entries.push(readKeyValue(reader));
    else reader.skip(tag, 1);
  }
  reader.leave(outer);
  return list;
}
