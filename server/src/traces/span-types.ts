/** The types of spans of generative AI, in the order of the bits of `sender_parts.span_types`: add new ones at the end. */
export const SPAN_TYPES = [
  'span',
  'llm',
  'agent',
  'tool',
  'chain',
  'retriever',
  'embedding',
  'reranker',
  'guardrail',
  'evaluator',
  'prompt',
] as const;

export type SpanType = (typeof SPAN_TYPES)[number];

/**
 * Types whose tokens and costs add up to those of a trace. The others often repeat the usage of the model calls within them, which
 * would then count twice.
 */
export const OWN_FIGURES: readonly SpanType[] = SPAN_TYPES.filter(
  (type) => type !== 'agent' && type !== 'chain' && type !== 'tool',
);

/** Types that usage counts as requests. */
export const CALLS_OF_MODELS: readonly SpanType[] = ['llm', 'embedding', 'reranker'];

export const bitOf = (type: SpanType) => 1 << SPAN_TYPES.indexOf(type);
