/** Looks through a whole session, page by page. Only the numbers of what was found are kept. */
import type { OneSession, StoredMessage } from '@drydock/sdk';
import { useEffect, useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { isErrorResult, searchTextOf } from './message-parts.ts';
import type { Transcript } from './transcript.ts';

const PAGE = 500;
/** More hits than this tell no one where to look. */
const MAX_HITS = 10_000;

/** Pages of messages after a number, until the end. */
async function* readPages(where: OneSession, afterSeq: number, signal: AbortSignal) {
  let after = afterSeq;
  while (!signal.aborted) {
    const after_seq = after;
    const page = await queryClient.fetchQuery({
      queryKey: ['scan', where, after_seq],
      queryFn: async () =>
        drydock.transcripts.get(where, { after_seq, limit: PAGE, include_compacted: true }, { signal }),
      staleTime: 0,
      gcTime: 0,
    });
    yield page.messages;
    const last = page.messages.at(-1);
    if (!page.has_more || !last) return;
    after = last.seq;
  }
}

/** The next message after a number that is wanted, else the first one before it. */
export async function findNext(
  { where }: Transcript,
  fromSeq: number,
  isWanted: (message: StoredMessage) => boolean,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (const [from, to] of [
    [fromSeq, Infinity],
    [0, fromSeq],
  ] as const) {
    for await (const messages of readPages(where, from, signal)) {
      const found = messages.find((message) => message.seq <= to && isWanted(message));
      if (found) return found.seq;
      if ((messages.at(-1)?.seq ?? Infinity) >= to) break;
    }
  }
  return undefined;
}

export const findNextError = (transcript: Transcript, fromSeq: number, signal: AbortSignal) =>
  findNext(transcript, fromSeq, isErrorResult, signal);

export interface Search {
  readonly hits: readonly number[];
  /** Messages that were looked at. */
  readonly searched: number;
  readonly isDone: boolean;
}

const NOTHING: Search = { hits: [], searched: 0, isDone: true };
/** While someone types, a search would be given up at once. */
const TYPING_MS = 200;

/** Searches the whole session in the background. New messages are searched too as they come. */
export function useSearch(transcript: Transcript, q: string): Search {
  const [search, setSearch] = useState(NOTHING);
  const { total } = transcript;
  const state = useRef({ q: '', searched: 0, hits: [] as number[] });
  useEffect(() => {
    const needle = q.toLowerCase();
    const begun = state.current;
    if (begun.q !== needle || begun.searched > total) state.current = { q: needle, searched: 0, hits: [] };
    if (needle === '') {
      setSearch(NOTHING);
      return undefined;
    }
    const leaving = new AbortController();
    const timer = setTimeout(
      () => {
        void run(transcript, state.current, leaving.signal, (isDone) =>
          setSearch({ hits: [...state.current.hits], searched: state.current.searched, isDone }),
        ).catch(() => undefined); // Left, or signed out: the page itself says so.
      },
      begun.q === needle ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [transcript, q, total]);
  return search;
}

async function run(
  { where }: Transcript,
  state: { readonly q: string; searched: number; readonly hits: number[] },
  signal: AbortSignal,
  onProgress: (isDone: boolean) => void,
): Promise<void> {
  for await (const messages of readPages(where, state.searched, signal)) {
    if (signal.aborted) return;
    for (const message of messages) {
      if (searchTextOf(message).toLowerCase().includes(state.q) && state.hits.length < MAX_HITS)
        state.hits.push(message.seq);
      state.searched = message.seq;
    }
    onProgress(false);
  }
  if (!signal.aborted) onProgress(true);
}
