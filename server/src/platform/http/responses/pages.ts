/** The two forms of a list: numbered pages, and cursors for lists that grow without limit. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Signer } from '../../auth/signing.ts';
import { invalidValue } from '../../errors.ts';

export const pageQuery = (bounds: { defaultLimit: number; maxLimit: number }) => ({
  page: z.int().min(1).default(1).describe('1-indexed'),
  limit: z.int().min(1).max(bounds.maxLimit).default(bounds.defaultLimit),
});

/** `{<plural>: [...], total, page, …}`, as for all lists of the API. */
export const pageOf = <Key extends string, Item extends z.ZodType>(key: Key, item: Item) =>
  z.object({
    ...({ [key]: z.array(item) } as Record<Key, z.ZodArray<Item>>),
    total: z.int().describe('Items matching the query'),
    page: z.int().describe('1-indexed'),
    limit: z.int(),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_previous: z.boolean(),
  });

export function toPage(total: number, { page, limit }: { page: number; limit: number }) {
  const total_pages = Math.ceil(total / limit);
  return {
    total,
    page,
    limit,
    total_pages,
    has_next: page < total_pages,
    has_previous: page > 1 && total > 0,
  };
}

/** Number of items beyond a page up to which they are counted, in lists whose exact total would read every item. */
export const COUNTED_AHEAD = 100;

/** The field that a page of such a list also has. */
export const boundedTotal = {
  total_is_exact: z.boolean().describe('Whether `total` is exact; else there are more'),
};

export const exactTotalQuery = (items: string) => ({
  exact_total: z
    .boolean()
    .default(false)
    .describe(`Count all ${items} for \`total\`, which takes longer the more ${items} there are`),
});

/** Capped: no list is longer, and the database can always read the number. */
export const offsetOf = ({ page, limit }: { page: number; limit: number }) =>
  Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);

export const cursorQuery = (bounds: { defaultLimit: number; maxLimit: number }) => ({
  limit: z.int().min(1).max(bounds.maxLimit).default(bounds.defaultLimit),
  cursor: z.string().optional().describe('next_cursor of the previous response'),
});

export const cursorPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable().describe('null at the end') });

/** Signed cursors, bound to a list and its filters, so that another list or filter refuses them. */
export class Cursors<Position extends object> {
  private readonly signer: Signer;
  private readonly list: string;
  private readonly parameter: string;

  /** @param parameter query parameter of the cursor */
  constructor(signer: Signer, list: string, parameter = 'cursor') {
    this.signer = signer;
    this.list = list;
    this.parameter = parameter;
  }

  read(cursor: string | undefined, filters: object): Position | undefined {
    if (cursor === undefined) return undefined;
    const found = this.signer.open('cursor', cursor) as { of: string; at: Position } | undefined;
    if (found?.of !== this.fingerprint(filters)) {
      throw invalidValue(
        ['query', this.parameter],
        'is not a cursor of this list with these filters; start again without one',
      );
    }
    return found.at;
  }

  /** Expects one row more than the page holds, to detect a next page. */
  toPage<Row>(rows: readonly Row[], limit: number, filters: object, position: (row: Row) => Position) {
    const items = rows.slice(0, limit);
    const last = rows.length > limit ? items.at(-1) : undefined;
    return { items, next_cursor: last ? this.after(position(last), filters) : null };
  }

  after(position: Position, filters: object): string {
    return this.signer.sign('cursor', { of: this.fingerprint(filters), at: position });
  }

  private fingerprint(filters: object): string {
    const sorted = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return createHash('sha256')
      .update(JSON.stringify([this.list, sorted]))
      .digest('base64url')
      .slice(0, 22);
  }
}
