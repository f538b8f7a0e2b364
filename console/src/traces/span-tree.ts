/** The spans of a trace in compact form, as a tree. */
import type { OneTrace, Span, SpanPage } from '@drydock/sdk';
import { drydock } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';

/** The fields of a span that its row shows. The others are read when the span is selected. */
export interface SpanNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly type: Span['span_type'];
  /** Milliseconds since the first span of the trace. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly model: string | null;
}

export interface TreeRow {
  readonly node: SpanNode;
  readonly depth: number;
  readonly childCount: number;
  readonly isOpen: boolean;
}

const PAGE = 200;
/** More are read when the user clicks "Load more". With 30,000 spans, the heap of the page has 24 to 35 MB. */
const MAX_SPANS = 50_000;
const MAX_NAME = 300;
/** The whole tree is rebuilt while pages arrive. Doing so more often would make scrolling stutter. */
const REBUILD_MS = 300;

/** Reads all spans of a trace page by page, and keeps the fields that rows show. */
export class SpanTree {
  readonly where: OneTrace;
  readonly nodes = new Map<string, SpanNode>();
  rows: readonly TreeRow[] = [];
  isDone = false;
  /** Whether reading stopped at the limit, so that the user can load more. */
  hasMore = false;
  error: unknown;
  version = 0;
  readonly #children = new Map<string, SpanNode[]>();
  readonly #collapsed = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #traceStart: bigint | undefined;
  #cursor: string | undefined;
  #limit = MAX_SPANS;
  #builtAt = 0;
  #run = 0;

  constructor(where: OneTrace) {
    this.where = where;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getVersion = (): number => this.version;

  async load(): Promise<void> {
    const run = ++this.#run;
    this.error = undefined;
    try {
      while (!this.isDone) {
        if (this.nodes.size >= this.#limit) {
          this.hasMore = true;
          break;
        }
        const page = await this.#fetch(this.#cursor);
        if (run !== this.#run) return;
        this.#add(page.items);
        this.#cursor = page.next_cursor ?? undefined;
        this.isDone = page.next_cursor === null;
        if (performance.now() - this.#builtAt > REBUILD_MS) this.#build();
      }
    } catch (error) {
      if (run !== this.#run) return;
      this.error = error;
    }
    this.#build();
  }

  stop(): void {
    this.#run++;
  }

  loadMore(): void {
    this.#limit += MAX_SPANS;
    this.hasMore = false;
    void this.load();
  }

  toggle(id: string, isOpen: boolean): void {
    if (isOpen) this.#collapsed.delete(id);
    else this.#collapsed.add(id);
    this.#build();
  }

  collapseAll(): void {
    for (const id of this.#children.keys()) this.#collapsed.add(id);
    for (const { node, depth } of this.rows) if (depth === 0) this.#collapsed.delete(node.id);
    this.#build();
  }

  expandAll(): void {
    this.#collapsed.clear();
    this.#build();
  }

  /** Expands all ancestors of a span, so that it has a row. */
  reveal(id: string): void {
    const seen = new Set<string>();
    for (
      let node = this.nodes.get(id);
      node?.parentId && !seen.has(node.id);
      node = this.nodes.get(node.parentId)
    ) {
      seen.add(node.id);
      this.#collapsed.delete(node.parentId);
    }
    this.#build();
  }

  /** Finds the next matching span in tree order, also inside collapsed branches. After the last one it starts again at the first. */
  find(
    from: string | undefined,
    direction: 1 | -1,
    isMatch: (node: SpanNode) => boolean,
  ): SpanNode | undefined {
    const all = this.#walk(() => true).map(({ node }) => node);
    const start = from === undefined ? -1 : all.findIndex(({ id }) => id === from);
    const ordered = [...all.slice(start + 1), ...all.slice(0, start + 1)];
    if (direction === 1) return ordered.find(isMatch);
    const before = start < 0 ? all : [...all.slice(start), ...all.slice(0, start)];
    return before.findLast(isMatch);
  }

  count(isMatch: (node: SpanNode) => boolean): number {
    let count = 0;
    for (const node of this.nodes.values()) if (isMatch(node)) count++;
    return count;
  }

  /** Reads through the query cache, which retries while the server cannot be reached. The cache keeps nothing. */
  #fetch(after: string | undefined): Promise<SpanPage> {
    const { where } = this;
    return queryClient.fetchQuery({
      queryKey: ['spans', where, after],
      queryFn: async ({ signal }) =>
        drydock.traces.listSpans(where, { limit: PAGE, ...(after && { after }) }, { signal }),
      staleTime: 0,
      gcTime: 0,
    });
  }

  #add(spans: readonly Span[]): void {
    for (const span of spans) {
      if (this.nodes.has(span.span_id)) continue;
      const start = BigInt(span.start_time_unix_nano);
      this.#traceStart ??= start;
      const parentId = span.parent_span_id === span.span_id ? null : span.parent_span_id;
      const node: SpanNode = {
        id: span.span_id,
        parentId,
        name: span.name.slice(0, MAX_NAME),
        type: span.span_type,
        startMs: Number(start - this.#traceStart) / 1e6,
        durationMs: span.duration_ms,
        isError: span.status.code === 'error',
        model: span.model,
      };
      this.nodes.set(node.id, node);
      if (parentId === null) continue;
      const siblings = this.#children.get(parentId);
      if (siblings) siblings.push(node);
      else this.#children.set(parentId, [node]);
    }
  }

  #build(): void {
    this.rows = this.#walk((id) => !this.#collapsed.has(id));
    this.#builtAt = performance.now();
    this.version++;
    for (const listener of this.#listeners) listener();
  }

  #walk(isOpen: (id: string) => boolean): TreeRow[] {
    const rows: TreeRow[] = [];
    const seen = new Set<string>();
    const stack: { readonly node: SpanNode; readonly depth: number; readonly isHidden: boolean }[] = [];
    const visit = (root: SpanNode) => {
      stack.push({ node: root, depth: 0, isHidden: false });
      for (let top = stack.pop(); top; top = stack.pop()) {
        const { node, depth, isHidden } = top;
        if (seen.has(node.id)) continue;
        seen.add(node.id);
        const children = this.#children.get(node.id) ?? [];
        const opened = isOpen(node.id);
        if (!isHidden) rows.push({ node, depth, childCount: children.length, isOpen: opened });
        for (const child of children.toReversed())
          stack.push({ node: child, depth: depth + 1, isHidden: isHidden || !opened });
      }
    };
    for (const node of this.nodes.values())
      if (node.parentId === null || !this.nodes.has(node.parentId)) visit(node);
    // Spans in a cycle of parents have no root. The first one that was read becomes their root.
    if (seen.size < this.nodes.size)
      for (const node of this.nodes.values()) if (!seen.has(node.id)) visit(node);
    return rows;
  }
}
