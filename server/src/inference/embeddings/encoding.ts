/** Encodes vectors as the client requested, whatever encoding the provider sent. */
import { toNumber } from '../../platform/json.ts';
import type { Vector } from '../../platform/llm/embedding-model.ts';

const BYTES_PER_NUMBER = 4;

export function encodeVector(vector: Vector, format: 'float' | 'base64'): Vector {
  if (format === 'base64') return typeof vector === 'string' ? vector : toBase64(vector);
  return typeof vector === 'string' ? fromBase64(vector) : vector;
}

function toBase64(vector: readonly unknown[]): string {
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER);
  for (const [index, value] of vector.entries())
    bytes.writeFloatLE(Number(toNumber(value)), index * BYTES_PER_NUMBER);
  return bytes.toString('base64');
}

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  const count = Math.floor(bytes.length / BYTES_PER_NUMBER);
  return Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * BYTES_PER_NUMBER));
}
