import { readList, readText } from '../search-params.ts';

type Search = Record<string, unknown>;

export interface SessionListSearch {
  readonly search?: string;
  readonly model?: readonly string[];
}

export const readSessionListSearch = (search: Search): SessionListSearch => ({
  search: readText(search, 'search'),
  model: readList(search, 'model'),
});

export interface SessionSearch {
  readonly q?: string;
}

export const readSessionSearch = (search: Search): SessionSearch => ({ q: readText(search, 'q') });
