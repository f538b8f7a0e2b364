/** Chunks of spans on their way from the decoding thread to the statement that stores them: columns and sources. */
import type { UnpricedCalls } from './unpriced-calls.ts';

export interface SpanChunk {
  readonly spans: number;
  /** Approximate number of bytes sent to the database. */
  readonly bytes: number;
  /** The index in `sources` of each span's source. */
  readonly sourceIndexes: Int32Array<ArrayBuffer>;
  /** Elements of a PostgreSQL binary array for each column, without the header, so that chunks can be concatenated. */
  readonly columns: readonly Uint8Array<ArrayBuffer>[];
  readonly sources: readonly ChunkSource[];
  readonly unpriced: UnpricedCalls;
}

/** The place that a resource names: undefined for none, null for a value that is not a text and therefore names no place. */
export type Claim = string | null | undefined;

export interface ChunkSource {
  /** Digest of the source's content. */
  readonly id: string;
  readonly serviceName: string | null;
  readonly resource: string;
  readonly scope: string;
  /** Resource attribute `drydock.workspace`. */
  readonly workspace: Claim;
  /** Resource attribute `drydock.project`. */
  readonly project: Claim;
  /** Project that the spans name when the resource names none. Unknown projects are ignored. */
  readonly spanProject?: string | undefined;
  /** Number of spans of this source in the chunk. */
  readonly spans: number;
}

/** Returns the buffers to transfer to another thread instead of copying them. */
export const transferablesOf = ({ columns, sourceIndexes, unpriced }: SpanChunk): ArrayBuffer[] => [
  unpriced.figures.buffer,
  ...columns.map(({ buffer }) => buffer),
  sourceIndexes.buffer,
];

const BYTES_OF_SPAN = 2048;

/** Estimated cost of storing a chunk, in bytes: a span of less than 2 KiB costs as much as one of 2 KiB. */
export const workOf = ({ spans, bytes }: SpanChunk) => Math.max(bytes, spans * BYTES_OF_SPAN);
