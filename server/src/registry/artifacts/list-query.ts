/** Query parameters of artifact lists. */
import { z } from 'zod';
import { pageQuery } from '../../platform/http/responses/pages.ts';
import type { Kind } from '../kinds.ts';

const anyOf = z.array(z.string()).optional().describe('Any of these');
const overlap = z.array(z.string()).optional().describe('With at least one of these');

const AllFilters = z.object({
  name: z.string().optional().describe('Exact name, with or without its organization'),
  search: z.string().optional().describe('Part of the name or the summary, case-insensitive'),
  tags: overlap,
  license: anyOf,
  task_categories: overlap,
  framework: anyOf,
  size_category: anyOf,
  difficulty: anyOf,
  source: anyOf,
  format: anyOf.describe('With a split in any of these formats: `jsonl`, `csv`, `parquet`'),
  keywords: overlap,
  author: anyOf,
  sort_by: z.enum(['name', 'created_at', 'updated_at', 'file_size_bytes']).default('created_at'),
  sort_dir: z.enum(['asc', 'desc']).default('desc'),
  ...pageQuery({ defaultLimit: 50, maxLimit: 200 }),
  include_public: z.boolean().default(false).describe('Include public artifacts of other organizations'),
  mine: z.boolean().default(false).describe('Only what you published first'),
});

export type ListQuery = z.output<typeof AllFilters>;

/** All kinds share one type: a parameter that a kind does not filter by is undefined. */
const allBut = (filters: Readonly<Partial<Record<keyof ListQuery, true>>>) =>
  AllFilters.omit(filters as Record<'source', true>) as typeof AllFilters;

export const LIST_QUERIES: Record<Kind, typeof AllFilters> = {
  dataset: allBut({ framework: true, difficulty: true, source: true, keywords: true, author: true }),
  model: allBut({ difficulty: true, source: true, format: true, keywords: true, author: true }),
  task: allBut({
    license: true,
    task_categories: true,
    framework: true,
    size_category: true,
    format: true,
    keywords: true,
    author: true,
  }),
  capability: allBut({
    task_categories: true,
    framework: true,
    size_category: true,
    difficulty: true,
    source: true,
    format: true,
  }),
};
