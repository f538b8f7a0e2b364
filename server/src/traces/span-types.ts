/** Types of generative AI spans, in the order of the bits of `sender_parts.span_types`: add new ones at the end. */
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
  'task',
  'evaluation',
  'study',
  'trial',
  'sample',
  'transform',
] as const;

export type SpanType = (typeof SPAN_TYPES)[number];

const REPEATING = new Set<SpanType>([
  'agent',
  'chain',
  'tool',
  'task',
  'evaluation',
  'study',
  'trial',
  'sample',
  'transform',
]);

/**
 * Types whose tokens and costs are added to those of a trace. The others often repeat the usage of the model calls within them, which would
 * be counted twice.
 */
export const OWN_FIGURES: readonly SpanType[] = SPAN_TYPES.filter((type) => !REPEATING.has(type));

/** Types that usage counts as requests. */
export const CALLS_OF_MODELS: readonly SpanType[] = ['llm', 'embedding', 'reranker'];

export const bitOf = (type: SpanType) => 1 << SPAN_TYPES.indexOf(type);

/** Type names of the dreadnode client, accepted in filters. */
export const OTHER_NAMES = { generation: 'llm', scorer: 'evaluator' } as const satisfies Record<
  string,
  SpanType
>;

export type SpanTypeName = SpanType | keyof typeof OTHER_NAMES;

export const toSpanType = (name: SpanTypeName): SpanType =>
  name === 'generation' || name === 'scorer' ? OTHER_NAMES[name] : name;
