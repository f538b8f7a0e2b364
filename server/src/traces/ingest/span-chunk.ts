/** Spans on their way from the thread that decodes them to the statement that stores them: columns, and where they come from. */
import type { UnpricedCalls } from './unpriced-calls.ts';

export interface SpanChunk {
  readonly spans: number;
  /** About how many bytes are sent to the database. */
  readonly bytes: number;
  /** The index in `sources` of each span's source. */
  readonly sourceIndexes: Int32Array<ArrayBuffer>;
  /** The elements of a binary array of PostgreSQL for each column, without its head, so that chunks can be put together. */
  readonly columns: readonly Uint8Array<ArrayBuffer>[];
  readonly sources: readonly ChunkSource[];
  readonly unpriced: UnpricedCalls;
}

/** The place that a resource names: undefined for none, null for a value that is not a text and so names no place. */
export type Claim = string | null | undefined;

export interface ChunkSource {
  /** The digest of its content. */
  readonly id: string;
  readonly serviceName: string | null;
  readonly resource: string;
  readonly scope: string;
  /** The resource attribute `drydock.workspace`. */
  readonly workspace: Claim;
  /** The resource attribute `drydock.project`. */
  readonly project: Claim;
  /** The project that its spans name where the resource names none. One that is unknown is passed over. */
  readonly spanProject?: string | undefined;
  /** How many of the chunk's spans are its. */
  readonly spans: number;
}

/** Buffers that are transferred to another thread, so that they are not copied. */
export const transferablesOf = ({ columns, sourceIndexes, unpriced }: SpanChunk): ArrayBuffer[] => [
  unpriced.figures.buffer,
  ...columns.map(({ buffer }) => buffer),
  sourceIndexes.buffer,
];

const BYTES_OF_SPAN = 2048;

/** The work of storing a chunk, in bytes: a span of less than 2 KiB costs as much as one of 2 KiB. */
export const workOf = ({ spans, bytes }: SpanChunk) => Math.max(bytes, spans * BYTES_OF_SPAN);
