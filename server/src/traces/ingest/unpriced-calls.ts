/** Calls of models whose spans do not say what they cost: on their way from the thread that decodes them to the price list. */
import type { SpanFacts } from '../dialects/facts.ts';
import { ElementWriter } from './binary-arrays.ts';

export interface UnpricedCalls {
  readonly models: readonly { readonly provider: string | null; readonly model: string }[];
  /** Six for each call: its place in the chunk, that of its model in `models`, and its tokens (input, output, cache read and creation). */
  readonly figures: Float64Array<ArrayBuffer>;
}

export interface ToldCall {
  readonly provider: string | null;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
}

/** The prices that hold for an organization: of a call US dollars, or null where they are not known. */
export type FindPrices = (organizationId: string) => PriceCall | Promise<PriceCall>;
export type PriceCall = (call: ToldCall) => number | null;

const FIGURES = 6;

export class UnpricedCallWriter {
  private figures: number[] = [];
  private models = new Map<string, { index: number; provider: string | null; model: string }>();

  /** Notes a span. @param place its index in the chunk */
  add(place: number, facts: SpanFacts): void {
    const { provider, model } = facts;
    if (model === null || facts.costUsd !== null || !isCounted(facts)) return;
    const key = `${provider}\n${model}`;
    let known = this.models.get(key);
    if (!known) this.models.set(key, (known = { index: this.models.size, provider, model }));
    this.figures.push(place, known.index, facts.inputTokens ?? 0, facts.outputTokens ?? 0);
    this.figures.push(facts.cacheReadInputTokens ?? 0, facts.cacheCreationInputTokens ?? 0);
  }

  take(): UnpricedCalls {
    const models = [...this.models.values()].map(({ provider, model }) => ({ provider, model }));
    const calls = { models, figures: Float64Array.from(this.figures) };
    this.figures = [];
    this.models = new Map();
    return calls;
  }
}

/** A call whose tokens are not all known has no known cost; what embeds or ranks writes none. */
function isCounted({ spanType, inputTokens, outputTokens }: SpanFacts): boolean {
  if (spanType === 'llm') return inputTokens !== null && outputTokens !== null;
  return (spanType === 'embedding' || spanType === 'reranker') && inputTokens !== null;
}

/** @returns the elements of a binary array with the cost of each span of the chunk, mostly null; undefined for nothing but null */
export function priceCalls(
  { models, figures }: UnpricedCalls,
  spans: number,
  price: PriceCall,
): Uint8Array | undefined {
  const costs = new Map<number, number>();
  for (let at = 0; at < figures.length; at += FIGURES) {
    const [place, index, inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens] =
      figures.subarray(at, at + FIGURES) as unknown as [number, number, number, number, number, number];
    const { provider, model } = models[index] as UnpricedCalls['models'][number];
    const tokens = { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens };
    const cost = price({ provider, model, ...tokens });
    if (cost !== null) costs.set(place, cost);
  }
  if (costs.size === 0) return undefined;
  const elements = new ElementWriter();
  for (let place = 0; place < spans; place++) elements.double(costs.get(place) ?? null);
  return elements.take();
}

/** Makes this many null elements. */
export function noCosts(spans: number): Uint8Array {
  return new Uint8Array(4 * spans).fill(0xff);
}
