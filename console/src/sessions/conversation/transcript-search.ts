/** Searches a whole session page by page, because the API has no search within a session. Only the numbers of hits are kept. */
import type { OneSession, StoredMessage } from '@drydock/sdk';
import { useEffect, useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { isErrorResult, toSearchText } from './message-parts.ts';
import type { Transcript } from './transcript.ts';

const PAGE = 500;
/** Limit of counted hits, more than a user steps through. */
const MAX_HITS = 10_000;

/** Reads the messages after a number, page by page, to the end. */
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

/** Finds the next matching message after a number. After the end it continues at the beginning. */
async function findNext(
  { where }: Transcript,
  fromSeq: number,
  isMatch: (message: StoredMessage) => boolean,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (const [from, to] of [
    [fromSeq, Infinity],
    [0, fromSeq],
  ] as const) {
    for await (const messages of readPages(where, from, signal)) {
      const found = messages.find((message) => message.seq <= to && isMatch(message));
      if (found) return found.seq;
      if ((messages.at(-1)?.seq ?? Infinity) >= to) break;
    }
  }
  return undefined;
}

export const findNextError = (transcript: Transcript, fromSeq: number, signal: AbortSignal) =>
  findNext(transcript, fromSeq, isErrorResult, signal);

export interface TranscriptSearch {
  readonly hits: readonly number[];
  /** The number of messages that were searched so far. */
  readonly searched: number;
  readonly isDone: boolean;
}

const NOTHING: TranscriptSearch = { hits: [], searched: 0, isDone: true };
/** The search starts when the user has stopped typing for this long. */
const TYPING_MS = 200;

/** Searches the whole session in the background, and new messages as they arrive. */
export function useTranscriptSearch(transcript: Transcript, q: string): TranscriptSearch {
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
        void searchPages(transcript, state.current, leaving.signal, (isDone) =>
          setSearch({ hits: [...state.current.hits], searched: state.current.searched, isDone }),
        ).catch(() => undefined); // The page was left or the user was signed out, which the page shows itself.
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

async function searchPages(
  { where }: Transcript,
  state: { readonly q: string; searched: number; readonly hits: number[] },
  signal: AbortSignal,
  onProgress: (isDone: boolean) => void,
): Promise<void> {
  for await (const messages of readPages(where, state.searched, signal)) {
    if (signal.aborted) return;
    for (const message of messages) {
      if (toSearchText(message).toLowerCase().includes(state.q) && state.hits.length < MAX_HITS)
        state.hits.push(message.seq);
      state.searched = message.seq;
    }
    onProgress(false);
  }
  if (!signal.aborted) onProgress(true);
}
