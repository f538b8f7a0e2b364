/** What a span is, in the words of generative AI. The order is that of the bits of `sender_parts.span_types`: add at the end. */
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
 * Whose tokens and costs a trace is made up of. The others are about what happens within them, and often repeat what the calls
 * of models in there have used: counted as well, that would count twice.
 */
export const OWN_FIGURES: readonly SpanType[] = SPAN_TYPES.filter(
  (type) => type !== 'agent' && type !== 'chain' && type !== 'tool',
);

/** What usage counts as requests. */
export const CALLS_OF_MODELS: readonly SpanType[] = ['llm', 'embedding', 'reranker'];

export const bitOf = (type: SpanType) => 1 << SPAN_TYPES.indexOf(type);
