/**
 * The messages of one session around the visible ones. Messages are numbered from 1 without gaps, so any position can be read directly:
 * they are read in windows of 100, and windows far from the visible messages are evicted.
 */
import type { OneSession, SessionResponse, StoredMessage } from '@drydock/sdk';
import { drydock } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Message, truncateMessage } from './message-parts.ts';

const WINDOW_SIZE = 100;
/** 1,600 messages: several screens around the visible part of the conversation and of the outline. */
const MAX_WINDOWS = 16;
/** The visible window would wait behind more requests than this for windows that were scrolled past. */
const MAX_LOADING = 2;
const REFRESH_MS = 1_000;

type Range = readonly [firstSeq: number, lastSeq: number];

const windowOf = (seq: number) => Math.floor((seq - 1) / WINDOW_SIZE);

export class Transcript {
  readonly where: OneSession;
  session: SessionResponse | undefined;
  systemPrompt: string | null = null;
  total = 0;
  isLoaded = false;
  error: unknown;
  /** Increases with every change, so that React renders again. */
  version = 0;
  readonly #windows = new Map<number, Message[]>();
  readonly #loading = new Map<number, Promise<void>>();
  readonly #visible = new Map<string, Range>();
  readonly #listeners = new Set<() => void>();
  readonly #stale = new Set<number>();
  #generation = 0;
  #isReading = false;
  #isOutdated = false;
  #refreshing: ReturnType<typeof setTimeout> | undefined;

  constructor(where: OneSession) {
    this.where = where;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getVersion = (): number => this.version;

  get(seq: number): Message | undefined {
    const index = windowOf(seq);
    return this.#windows.get(index)?.[seq - 1 - index * WINDOW_SIZE];
  }

  /** Loaded messages after or before one, at most 200: tool results are looked up here for their calls, and calls for their results. */
  *near(seq: number, direction: 1 | -1): Generator<Message> {
    for (let at = seq + direction; Math.abs(at - seq) <= 2 * WINDOW_SIZE; at += direction) {
      const message = this.get(at);
      if (!message) return;
      yield message;
    }
  }

  /** Tells which messages a viewer (the conversation or the outline) shows, and loads them. */
  setVisible(viewer: string, firstSeq: number, lastSeq: number): void {
    this.#visible.set(viewer, [firstSeq, lastSeq]);
    this.#loadWanted();
  }

  /** Resolves when the message and those around it are loaded. */
  async ensureLoaded(seq: number): Promise<void> {
    const index = windowOf(seq);
    await Promise.all([index, index - 1, index + 1].map((one) => this.#load(one)));
  }

  /** Reads the beginning, or what has changed since it was read. */
  async refresh(): Promise<void> {
    clearTimeout(this.#refreshing);
    this.#refreshing = undefined;
    // A running read may have begun before the change that this call is about, so it is repeated.
    this.#isOutdated = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        await (this.isLoaded ? this.#readChanges() : this.#readWindow(0));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Adds messages that were just stored. */
  append(messages: readonly StoredMessage[], lastSeq: number): void {
    this.total = Math.max(this.total, lastSeq);
    this.#insert(messages);
    this.#changed();
    this.refreshSoon();
  }

  /** Removes the messages after this one, because the session was rewound. */
  rewind(lastSeq: number): void {
    this.#truncate(lastSeq);
    this.#changed();
    this.refreshSoon();
  }

  /** A compaction changes the era of messages that were read before. */
  compacted(): void {
    this.#markAllStale();
    this.refreshSoon();
  }

  /** Counters of the session are read at most once a second. */
  refreshSoon(): void {
    this.#refreshing ??= setTimeout(() => void this.refresh(), REFRESH_MS);
  }

  setState(state: Partial<SessionResponse>): void {
    if (this.session) this.session = { ...this.session, ...state };
    this.#changed();
  }

  close(): void {
    clearTimeout(this.#refreshing);
    this.#refreshing = undefined;
  }

  async #readChanges(): Promise<void> {
    const { total, session: before } = this;
    const page = await this.#fetch(Math.max(0, total - 1), WINDOW_SIZE);
    const { total_message_count, compaction_count } = page.session.usage;
    this.session = page.session;
    this.systemPrompt = page.current_system_prompt;
    if (total_message_count < total && this.total === total) this.#truncate(total_message_count);
    this.total = Math.max(this.total, total_message_count);
    this.#insert(page.messages);
    if (compaction_count !== before?.usage.compaction_count) this.#markAllStale();
    this.error = undefined;
    this.#changed();
  }

  #insert(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      const index = windowOf(message.seq);
      const place = message.seq - 1 - index * WINDOW_SIZE;
      if (place === 0 && !this.#windows.has(index)) this.#windows.set(index, []);
      const window = this.#windows.get(index);
      // Windows have no gaps: their length says where they end.
      if (window && place <= window.length)
        this.#windows.set(index, window.toSpliced(place, 1, truncateMessage(message)));
    }
  }

  #truncate(total: number): void {
    this.total = total;
    this.#generation++;
    for (const [index, window] of this.#windows) {
      const left = Math.max(0, total - index * WINDOW_SIZE);
      if (left === 0) this.#windows.delete(index);
      else if (left < window.length) this.#windows.set(index, window.slice(0, left));
    }
  }

  #markAllStale(): void {
    for (const index of this.#windows.keys()) this.#stale.add(index);
    this.#loadWanted();
  }

  #isComplete(index: number): boolean {
    const expected = Math.min(WINDOW_SIZE, this.total - index * WINDOW_SIZE);
    return !this.#stale.has(index) && (this.#windows.get(index)?.length ?? 0) >= expected;
  }

  #loadWanted(): void {
    const wanted = [...this.#visible.values()].flatMap(([first, last]) => {
      const [from, to] = [windowOf(first), windowOf(last)];
      // The visible windows come first, then the one after them and the one before them.
      return Array.from({ length: to - from + 3 }, (_, index) =>
        index <= to - from ? from + index : index === to - from + 1 ? to + 1 : from - 1,
      );
    });
    for (const index of wanted) {
      if (this.#loading.size >= MAX_LOADING) return;
      if (this.error === undefined) void this.#load(index);
    }
  }

  #load(index: number): Promise<void> {
    if (index < 0 || index * WINDOW_SIZE >= this.total || this.#isComplete(index)) return Promise.resolve();
    const running = this.#loading.get(index);
    if (running) return running;
    const loading = this.#readWindow(index)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#loading.delete(index);
        this.#loadWanted();
      });
    this.#loading.set(index, loading);
    return loading;
  }

  async #readWindow(index: number): Promise<void> {
    const generation = this.#generation;
    const end = (index + 1) * WINDOW_SIZE;
    const kept: Message[] = [];
    // The server returns fewer messages than the limit when they are large.
    for (let after = index * WINDOW_SIZE; after < end; ) {
      const page = await this.#fetch(after, end - after);
      if (generation !== this.#generation) return;
      this.session = page.session;
      // Messages may have come since this page was read.
      this.total = Math.max(this.total, page.session.usage.total_message_count);
      this.systemPrompt = page.current_system_prompt;
      kept.push(...page.messages.map(truncateMessage));
      this.#windows.set(index, [...kept]);
      this.isLoaded = true;
      this.error = undefined;
      this.#changed();
      if (!page.has_more || page.messages.length === 0) break;
      after += page.messages.length;
    }
    this.#stale.delete(index);
    this.#evictFarWindows();
  }

  /** Reads through the query cache, which retries while the server cannot be reached. The cache keeps nothing. */
  #fetch(after_seq: number, limit: number) {
    const { where } = this;
    return queryClient.fetchQuery({
      queryKey: ['transcript', where, after_seq, limit],
      queryFn: async ({ signal }) =>
        drydock.transcripts.get(where, { after_seq, limit, include_compacted: true }, { signal }),
      staleTime: 0,
      gcTime: 0,
    });
  }

  #evictFarWindows(): void {
    const middles = [...this.#visible.values()].map(([first, last]) => windowOf((first + last) / 2));
    const distance = (index: number) => Math.min(...middles.map((middle) => Math.abs(index - middle)));
    const far = [...this.#windows.keys()].toSorted((a, b) => distance(b) - distance(a));
    for (const index of far.slice(0, Math.max(0, far.length - MAX_WINDOWS))) this.#windows.delete(index);
  }

  #fail(error: unknown): void {
    this.error = error;
    this.#changed();
  }

  #changed(): void {
    this.version++;
    for (const listener of this.#listeners) listener();
  }
}
