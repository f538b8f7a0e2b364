/**
 * Prices model calls whose spans report no cost. The decoding thread collects them (`UnpricedCallWriter`), since it cannot read prices from
 * the database; `priceCalls` then prices a chunk with the price lists of `inference/prices`, which `app.ts` passes in.
 */
import type { TokenUsage } from '../../platform/llm/chat-model.ts';
import type { SpanFacts } from '../dialects/facts.ts';
import { ElementWriter } from './binary-arrays.ts';

interface ReportedModel {
  readonly provider: string | null;
  readonly model: string;
}

export interface UnpricedCalls {
  readonly models: readonly ReportedModel[];
  /**
   * Six numbers per call: the index of its span in the chunk, the index of its model in `models`, and its tokens (input, output, cache read
   * and creation).
   */
  readonly figures: Float64Array<ArrayBuffer>;
}

/** Finds the prices of an organization. */
export type FindPrices = (organizationId: string) => PriceCall | Promise<PriceCall>;
/** @returns US dollars; null where no price is known */
type PriceCall = (call: ReportedModel & TokenUsage) => number | null;

const FIGURES = 6;

export class UnpricedCallWriter {
  private figures: number[] = [];
  private models = new Map<string, ReportedModel & { readonly index: number }>();

  /**
   * Adds the span when it is a call that can be priced and reports no cost.
   * @param spanIndex in the chunk
   */
  add(spanIndex: number, facts: SpanFacts): void {
    const { provider, model } = facts;
    if (model === null || facts.costUsd !== null || !hasTokens(facts)) return;
    const key = `${provider}\n${model}`;
    let known = this.models.get(key);
    if (!known) this.models.set(key, (known = { index: this.models.size, provider, model }));
    this.figures.push(spanIndex, known.index, facts.inputTokens ?? 0, facts.outputTokens ?? 0);
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

/** A call has no known cost unless all its tokens are known. Embedding and reranking have no output tokens. */
function hasTokens({ spanType, inputTokens, outputTokens }: SpanFacts): boolean {
  if (spanType === 'llm') return inputTokens !== null && outputTokens !== null;
  return (spanType === 'embedding' || spanType === 'reranker') && inputTokens !== null;
}

/** @returns the cost of each span of the chunk, mostly null, as elements of a binary array; undefined when all are null */
export function priceCalls(
  { models, figures }: UnpricedCalls,
  spans: number,
  price: PriceCall,
): Uint8Array | undefined {
  const costs = new Map<number, number>();
  for (let at = 0; at < figures.length; at += FIGURES) {
    const [spanIndex, modelIndex, inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens] =
      figures.subarray(at, at + FIGURES) as unknown as [number, number, number, number, number, number];
    const { provider, model } = models[modelIndex] as ReportedModel;
    const tokens = { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens };
    const cost = price({ provider, model, ...tokens });
    if (cost !== null) costs.set(spanIndex, cost);
  }
  if (costs.size === 0) return undefined;
  const elements = new ElementWriter();
  for (let index = 0; index < spans; index++) elements.double(costs.get(index) ?? null);
  return elements.take();
}

/** Returns this many null elements of a binary array: each is the length -1. */
export function toNullCosts(spans: number): Uint8Array {
  return new Uint8Array(4 * spans).fill(0xff);
}
