import { readList, readNumber, readOneOf, readPage, readText } from '../search-params.ts';

type Search = Record<string, unknown>;

const SORTS = ['created_at', 'updated_at', 'last_message_at', 'title', 'message_count'] as const;
const ORIGINS = ['user', 'worker', 'eval', 'optimization', 'training', 'world'] as const;
const ARCHIVED = ['active', 'inactive', 'archived', 'any'] as const;

export interface SessionListSearch {
  readonly search?: string;
  readonly model?: readonly string[];
  readonly agent?: readonly string[];
  readonly origin?: readonly (typeof ORIGINS)[number][];
  readonly user?: readonly string[];
  /** `key:value` */
  readonly label?: readonly string[];
  readonly archived?: (typeof ARCHIVED)[number];
  /** Sessions of evaluations and jobs too. */
  readonly workloads?: boolean;
  readonly sort?: (typeof SORTS)[number];
  readonly dir?: 'asc' | 'desc';
  readonly page?: number;
  readonly selected?: string;
}

export function readSessionListSearch(search: Search): SessionListSearch {
  const origins = ORIGINS.filter((origin) => readList(search, 'origin')?.includes(origin));
  return {
    search: readText(search, 'search'),
    model: readList(search, 'model'),
    agent: readList(search, 'agent'),
    origin: origins.length > 0 ? origins : undefined,
    user: readList(search, 'user'),
    label: readList(search, 'label')?.filter((label) => /^[^:]+:/.test(label)),
    archived: readOneOf(search, 'archived', ARCHIVED),
    workloads: search['workloads'] === true ? true : undefined,
    sort: readOneOf(search, 'sort', SORTS),
    dir: readOneOf(search, 'dir', ['asc', 'desc']),
    page: readPage(search),
    selected: readText(search, 'selected'),
  };
}

export interface SessionSearch {
  readonly q?: string;
  /** The message that is jumped to. */
  readonly at?: number;
}

export const readSessionSearch = (search: Search): SessionSearch => ({
  q: readText(search, 'q'),
  at: readNumber(search, 'at'),
});
