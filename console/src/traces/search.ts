import { readText } from '../search-params.ts';

type Search = Record<string, unknown>;

export interface TraceListSearch {
  readonly search?: string;
}

export const readTraceListSearch = (search: Search): TraceListSearch => ({
  search: readText(search, 'search'),
});

export interface TraceSearch {
  readonly span?: string;
}

export const readTraceSearch = (search: Search): TraceSearch => ({ span: readText(search, 'span') });
