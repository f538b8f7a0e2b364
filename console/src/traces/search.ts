import { readNumber, readOneOf, readText } from '../search-params.ts';

type Search = Record<string, unknown>;

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

/** Hours before now that the list goes back. */
export const PERIODS = ['1', '24', '168', '720'] as const;

export interface TraceListSearch {
  readonly search?: string;
  readonly status?: 'ok' | 'error';
  readonly type?: SpanType;
  readonly session?: string;
  readonly hours?: (typeof PERIODS)[number];
  readonly page?: number;
  readonly selected?: string;
}

export const readTraceListSearch = (search: Search): TraceListSearch => ({
  search: readText(search, 'search'),
  status: readOneOf(search, 'status', ['ok', 'error']),
  type: readOneOf(search, 'type', SPAN_TYPES),
  session: readText(search, 'session'),
  hours: PERIODS.find((hours) => hours === String(search['hours'])),
  page: readNumber(search, 'page'),
  selected: readText(search, 'selected'),
});

export interface TraceSearch {
  readonly span?: string;
  readonly q?: string;
}

export const readTraceSearch = (search: Search): TraceSearch => ({
  span: readText(search, 'span'),
  q: readText(search, 'q'),
});
