/** Encodes fields of protobuf messages as a client does. */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

export function bytesField(field: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return Buffer.concat([varint((field << 3) | BYTES), varint(length), ...content]);
}

export const textField = (field: number, text: string) => bytesField(field, Buffer.from(text));

export const varintField = (field: number, value: number) =>
  Buffer.concat([varint((field << 3) | VARINT), varint(value)]);

export const fixed64Field = (field: number, value: bigint) => {
  const content = Buffer.alloc(8);
  content.writeBigUInt64LE(value);
  return Buffer.concat([varint((field << 3) | FIXED64), content]);
};

export const doubleField = (field: number, value: number) => {
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([varint((field << 3) | FIXED64), content]);
};

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
