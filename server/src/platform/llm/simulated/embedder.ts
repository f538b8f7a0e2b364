/** `sim/embedder`: vectors from hashes of the words in a text, so that texts with the same words are near each other. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmbeddingCall, EmbeddingModel } from '../embedding-model.ts';
import { type Planner, refuse } from './plan.ts';
import { tokensOf } from './tokens.ts';

const DIMENSIONS = 256;
const MAX_DIMENSIONS = 1_024;
/** Longer texts are truncated, as by models with a limited context. */
const MAX_CHARACTERS = 32_768;
/** Weight of word parts relative to the whole word. */
const PART_WEIGHT = 0.25;
const PART_LENGTH = 3;

export const planEmbedder: Planner = () => {
  throw refuse(
    'sim/embedder makes embeddings only. Call it with POST …/inference/v1/embeddings, or use sim/echo here.',
  );
};

export const EMBEDDER: EmbeddingModel = {
  async embed({ request, signal }: EmbeddingCall) {
    const inputs: readonly unknown[] = typeof request.input === 'string' ? [request.input] : request.input;
    const dimensions = request.dimensions ?? DIMENSIONS;
    if (dimensions > MAX_DIMENSIONS)
      throw refuse(`sim/embedder makes at most ${MAX_DIMENSIONS} dimensions, not ${dimensions}.`);
    const vectors: number[][] = [];
    let inputTokens = 0;
    for (const text of inputs) {
      if (typeof text !== 'string')
        throw refuse('sim/embedder reads texts, not tokens. Send the texts themselves.');
      signal.throwIfAborted();
      const read = text.slice(0, MAX_CHARACTERS);
      inputTokens += [...tokensOf(read)].length;
      vectors.push(toVector(read, dimensions));
      // Yields, so that thousands of texts do not block other requests.
      await nextTurn();
    }
    const usage = { inputTokens, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };
    return { vectors, usage };
  },
};

function toVector(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  const add = (part: string, weight: number) => {
    const hash = hashOf(part);
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + ((hash & 0x8000_0000) === 0 ? weight : -weight);
  };
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    add(word, 1);
    for (let at = 0; at + PART_LENGTH <= word.length; at++)
      add(`#${word.slice(at, at + PART_LENGTH)}`, PART_WEIGHT);
  }
  const length = Math.hypot(...vector);
  // A text without words needs some direction.
  if (length === 0) return vector.map((_, index) => (index === 0 ? 1 : 0));
  return vector.map((value) => Number((value / length).toFixed(6)));
}

/** FNV-1a, with a final mix so that its low bits are as good as its high ones. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9_f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
