/** What both ways to make a page of traces answer. */
export interface Place {
  readonly limit: number;
  readonly offset: number;
}

export interface TracePage {
  readonly total: number;
  readonly ids: readonly Buffer[];
}

/** A page that holds nothing is one row with nothing but the total. */
export interface PageRow {
  readonly total: number;
  readonly trace_id: Buffer | null;
}

export const toTracePage = (rows: readonly PageRow[]): TracePage => ({
  total: rows[0]?.total ?? 0,
  ids: rows.flatMap(({ trace_id }) => trace_id ?? []),
});
