/** Result of both ways to compute a page of traces. */
export interface Place {
  readonly limit: number;
  readonly offset: number;
}

export interface TracePage {
  readonly total: number;
  readonly ids: readonly Buffer[];
}

/** An empty page is a single row with only the total. */
export interface PageRow {
  readonly total: number;
  readonly trace_id: Buffer | null;
}

export const toTracePage = (rows: readonly PageRow[]): TracePage => ({
  total: rows[0]?.total ?? 0,
  ids: rows.flatMap(({ trace_id }) => trace_id ?? []),
});
