/**
 * The messages of one session, as much of them as is looked at. Messages are numbered from 1 without gaps, so that any position can be
 * read: they are read in windows of 100, and windows far from what is shown are dropped.
 */
import type { OneSession, SessionResponse, StoredMessage } from '@drydock/sdk';
import { drydock } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Message, toKept } from './message-parts.ts';

export const WINDOW_SIZE = 100;
/** About 1,600 messages: several screens around each of the two places that are looked at. */
const MAX_WINDOWS = 16;
/** More at once would make the window that is looked at wait for those that were scrolled past. */
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
  /** Changes with everything that is shown. */
  version = 0;
  readonly #windows = new Map<number, Message[]>();
  readonly #loading = new Map<number, Promise<void>>();
  readonly #wanted = new Map<string, Range>();
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

  /** Messages around one that are there: results are searched here for a call, and calls for a result. */
  *near(seq: number, direction: 1 | -1): Generator<Message> {
    for (let at = seq + direction; Math.abs(at - seq) <= 2 * WINDOW_SIZE; at += direction) {
      const message = this.get(at);
      if (!message) return;
      yield message;
    }
  }

  /** Says what a viewer shows, and reads it. */
  show(viewer: string, firstSeq: number, lastSeq: number): void {
    this.#wanted.set(viewer, [firstSeq, lastSeq]);
    this.#pump();
  }

  hide(viewer: string): void {
    this.#wanted.delete(viewer);
  }

  /** Resolves when the message and those around it are there. */
  async ensure(seq: number): Promise<void> {
    const index = windowOf(seq);
    await Promise.all([index, index - 1, index + 1].map((one) => this.#load(one)));
  }

  /** Reads the beginning, or what has changed since it was read. */
  async refresh(): Promise<void> {
    clearTimeout(this.#refreshing);
    this.#refreshing = undefined;
    // What is being read may be older than what this call is about.
    this.#isOutdated = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        await (this.isLoaded ? this.#readChanges() : this.#read(0));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Messages that were stored just now. */
  append(messages: readonly StoredMessage[], lastSeq: number): void {
    this.total = Math.max(this.total, lastSeq);
    this.#put(messages);
    this.#changed();
    this.refreshSoon();
  }

  /** Everything after this message was taken back. */
  rewind(lastSeq: number): void {
    this.#truncate(lastSeq);
    this.#changed();
    this.refreshSoon();
  }

  /** A compaction changes the era of messages that were read before. */
  compacted(): void {
    this.#reload();
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
    this.#put(page.messages);
    if (compaction_count !== before?.usage.compaction_count) this.#reload();
    this.error = undefined;
    this.#changed();
  }

  #put(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      const index = windowOf(message.seq);
      const place = message.seq - 1 - index * WINDOW_SIZE;
      if (place === 0 && !this.#windows.has(index)) this.#windows.set(index, []);
      const window = this.#windows.get(index);
      // A gap would be taken for the end of the window.
      if (window && place <= window.length)
        this.#windows.set(index, window.toSpliced(place, 1, toKept(message)));
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

  #reload(): void {
    for (const index of this.#windows.keys()) this.#stale.add(index);
    this.#pump();
  }

  #isThere(index: number): boolean {
    const expected = Math.min(WINDOW_SIZE, this.total - index * WINDOW_SIZE);
    return !this.#stale.has(index) && (this.#windows.get(index)?.length ?? 0) >= expected;
  }

  #pump(): void {
    const wanted = [...this.#wanted.values()].flatMap(([first, last]) => {
      const [from, to] = [windowOf(first), windowOf(last)];
      // First what is shown, then what lies beside it.
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
    if (index < 0 || index * WINDOW_SIZE >= this.total || this.#isThere(index)) return Promise.resolve();
    const running = this.#loading.get(index);
    if (running) return running;
    const loading = this.#read(index)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#loading.delete(index);
        this.#pump();
      });
    this.#loading.set(index, loading);
    return loading;
  }

  async #read(index: number): Promise<void> {
    const generation = this.#generation;
    const end = (index + 1) * WINDOW_SIZE;
    const kept: Message[] = [];
    // A page is shorter than asked for when its messages are large.
    for (let after = index * WINDOW_SIZE; after < end; ) {
      const page = await this.#fetch(after, end - after);
      if (generation !== this.#generation) return;
      this.session = page.session;
      // Messages may have come since this page was read.
      this.total = Math.max(this.total, page.session.usage.total_message_count);
      this.systemPrompt = page.current_system_prompt;
      kept.push(...page.messages.map(toKept));
      this.#windows.set(index, [...kept]);
      this.isLoaded = true;
      this.error = undefined;
      this.#changed();
      if (!page.has_more || page.messages.length === 0) break;
      after += page.messages.length;
    }
    this.#stale.delete(index);
    this.#dropFar();
  }

  /** Through the query cache, which repeats it when the server cannot be reached; it keeps nothing. */
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

  #dropFar(): void {
    const middles = [...this.#wanted.values()].map(([first, last]) => windowOf((first + last) / 2));
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
