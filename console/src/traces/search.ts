import { readOneOf, readPage, readText } from '../search-params.ts';

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
  'task',
  'evaluation',
  'study',
  'trial',
  'sample',
  'transform',
] as const;

export type SpanType = (typeof SPAN_TYPES)[number];

export interface TraceListSearch {
  readonly search?: string;
  readonly status?: 'ok' | 'error';
  readonly type?: SpanType;
  readonly session?: string;
  /** Times of ISO 8601 between which traces began. */
  readonly from?: string;
  readonly to?: string;
  readonly page?: number;
  readonly selected?: string;
}

export const readTraceListSearch = (search: Search): TraceListSearch => ({
  search: readText(search, 'search'),
  status: readOneOf(search, 'status', ['ok', 'error']),
  type: readOneOf(search, 'type', SPAN_TYPES),
  session: readText(search, 'session'),
  from: readTime(search, 'from'),
  to: readTime(search, 'to'),
  page: readPage(search),
  selected: readText(search, 'selected'),
});

function readTime(search: Search, key: string): string | undefined {
  const time = Date.parse(readText(search, key) ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export interface TraceSearch {
  readonly span?: string;
  readonly q?: string;
}

export const readTraceSearch = (search: Search): TraceSearch => ({
  span: readText(search, 'span'),
  q: readText(search, 'q'),
});
