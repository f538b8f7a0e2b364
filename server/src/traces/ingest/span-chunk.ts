/** Spans on their way from the thread that decodes them to the statement that stores them: columns, and where they come from. */
import type { UnpricedCalls } from './unpriced-calls.ts';

export interface SpanChunk {
  readonly spans: number;
  /** Of all that is to be sent, about. */
  readonly bytes: number;
  /** Of each span, which of `sources` is its own. */
  readonly sourceIndexes: Int32Array<ArrayBuffer>;
  /** The elements of a binary array of PostgreSQL for each column, without its head, so that chunks can be put together. */
  readonly columns: readonly Uint8Array<ArrayBuffer>[];
  readonly sources: readonly ChunkSource[];
  readonly unpriced: UnpricedCalls;
}

/** What a resource says of the place it belongs to: nothing, a text, or (null) something else, which names no place. */
export type Claim = string | null | undefined;

export interface ChunkSource {
  /** Of its content. */
  readonly id: string;
  readonly serviceName: string | null;
  readonly resource: string;
  readonly scope: string;
  /** The resource attribute `drydock.workspace`. */
  readonly workspace: Claim;
  /** The resource attribute `drydock.project`. */
  readonly project: Claim;
  /** How many of the chunk's spans are its. */
  readonly spans: number;
}

/** What can be handed over to another thread instead of being copied. */
export const transferablesOf = ({ columns, sourceIndexes, unpriced }: SpanChunk): ArrayBuffer[] => [
  unpriced.figures.buffer,
  ...columns.map(({ buffer }) => buffer),
  sourceIndexes.buffer,
];

const BYTES_OF_SPAN = 2048;

/** What it takes to store it, in bytes: a small span is as much work as one of these. */
export const workOf = ({ spans, bytes }: SpanChunk) => Math.max(bytes, spans * BYTES_OF_SPAN);
