/** Reads attributes and their values from OTLP/JSON. */
import { isObject, type Json, type Shapes, toBigInt } from './json-shapes.ts';
import { type AnyValue, Double, type KeyValue, KeyValueList } from './model.ts';

export function readAttributes(shapes: Shapes, object: Json, field = 'attributes'): KeyValue[] {
  const list = shapes.list(object, field);
  const attributes: KeyValue[] = [];
  shapes.path.push(field);
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    shapes.path.push(index);
    if (isObject(item)) attributes.push({ key: shapes.text(item, 'key'), value: readField(shapes, item) });
    else shapes.wrong('an object');
    shapes.path.pop();
  }
  shapes.path.pop();
  return attributes;
}

function readField(shapes: Shapes, attribute: Json): AnyValue {
  const value = shapes.object(attribute, 'value');
  if (value === undefined) return null;
  shapes.path.push('value');
  const read = readValue(shapes, value);
  shapes.path.pop();
  return read;
}

/** Reads a oneof; the last of several fields counts, as in protobuf. */
function readValue(shapes: Shapes, object: Json): AnyValue {
  let value: AnyValue = null;
  for (const field in object) if (object[field] !== null) value = readMember(shapes, object, field, value);
  return value;
}

function readMember(shapes: Shapes, object: Json, field: string, before: AnyValue): AnyValue {
  switch (field) {
    case 'stringValue':
      return shapes.text(object, field);
    case 'boolValue':
      return readBool(shapes, object[field]);
    case 'intValue':
      return readInteger(shapes, object[field]);
    case 'doubleValue':
      return readDouble(shapes, object[field]);
    case 'bytesValue':
      return readBytes(shapes, object[field]);
    case 'arrayValue':
      return readArray(shapes, object);
    case 'kvlistValue':
      return readList(shapes, object);
    default:
      return before;
  }
}

function readBool(shapes: Shapes, value: unknown): AnyValue {
  if (typeof value === 'boolean') return value;
  shapes.wrong('true or false', 'boolValue');
  return null;
}

/** Returns a number when it is exact, else a bigint. */
function readInteger(shapes: Shapes, value: unknown): AnyValue {
  const isInteger = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : isNumeric(value);
  if (isInteger) {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number + 0;
    const exact = toBigInt(value);
    if (exact !== undefined && exact === BigInt.asIntN(64, exact)) return exact;
  }
  shapes.wrong('an integer of 64 bits, in a string', 'intValue');
  return null;
}

const isNumeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

function readDouble(shapes: Shapes, value: unknown): AnyValue {
  if (typeof value === 'number') return new Double(value);
  if (typeof value === 'bigint') return new Double(Number(value));
  const isNumber = typeof value === 'string' && /^(NaN|-?Infinity|-?\d+(\.\d+)?([eE][-+]?\d+)?)$/.test(value);
  if (isNumber) return new Double(Number(value));
  shapes.wrong('a number, or "NaN", "Infinity" or "-Infinity"', 'doubleValue');
  return null;
}

/** Accepts both base64 alphabets, with or without padding. */
function readBytes(shapes: Shapes, value: unknown): AnyValue {
  if (value instanceof Uint8Array) return value;
  const text = typeof value === 'string' ? value.replace(/={1,2}$/, '') : undefined;
  if (text !== undefined && text.length % 4 !== 1 && /^[\w+/-]*$/.test(text))
    return new Uint8Array(Buffer.from(text, 'base64'));
  shapes.wrong('bytes in base64', 'bytesValue');
  return null;
}

function readArray(shapes: Shapes, object: Json): AnyValue {
  const array = shapes.object(object, 'arrayValue');
  if (array === undefined) return null;
  const items: AnyValue[] = [];
  shapes.path.push('arrayValue');
  const list = shapes.list(array, 'values');
  shapes.path.push('values');
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    shapes.path.push(index);
    if (isObject(item)) items.push(readValue(shapes, item));
    else shapes.wrong('an object');
    shapes.path.pop();
  }
  shapes.path.pop();
  shapes.path.pop();
  return items;
}

function readList(shapes: Shapes, object: Json): AnyValue {
  const list = shapes.object(object, 'kvlistValue');
  if (list === undefined) return null;
  shapes.path.push('kvlistValue');
  const entries = readAttributes(shapes, list, 'values');
  shapes.path.pop();
  return new KeyValueList(entries);
}
