/** The conversation of a session of any length: virtual rows of measured height. */
import type { OneSession } from '@drydock/sdk';
import { Button, Skeleton, Text } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCountOf } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import styles from './conversation.module.css';
import { Fold, FoundText } from './fold.tsx';
import { useHighlight } from './highlight.ts';
import type { Message } from './message-parts.ts';
import { MessageRow } from './message-row.tsx';
import { SearchBar } from './search-bar.tsx';
import type { Transcript } from './transcript.ts';
import { findNextError, useTranscriptSearch } from './transcript-search.ts';
import { useTranscript } from './use-transcript.ts';

interface ConversationProps {
  readonly where: OneSession;
  /** Whether new messages appear as they are stored. */
  readonly isLive: boolean;
  readonly q: string | undefined;
  readonly onQueryChange: (q: string) => void;
}

export function Conversation({ where, isLive, q, onQueryChange }: ConversationProps) {
  const transcript = useTranscript(where, isLive);
  const [jump, setJump] = useState<{ readonly at?: number; readonly count: number }>({ count: 0 });
  return (
    <ConversationView
      transcript={transcript}
      q={q ?? ''}
      onQueryChange={onQueryChange}
      at={jump.at}
      jumpCount={jump.count}
      onJump={(seq) => setJump(({ count }) => ({ at: seq, count: count + 1 }))}
    />
  );
}

interface ConversationViewProps {
  readonly transcript: Transcript;
  readonly q: string;
  readonly onQueryChange: (q: string) => void;
  /** The message that was jumped to. */
  readonly at: number | undefined;
  /** Counts jumps, so that the same message can be jumped to again. */
  readonly jumpCount: number;
  readonly onJump: (seq: number) => void;
}

const ESTIMATED_HEIGHT = 88;
/** The conversation scrolls along with new messages when it is at most this far from its end. */
const END_PX = 40;

export function ConversationView(props: ConversationViewProps) {
  const { transcript, q, onQueryChange, at, jumpCount, onJump } = props;
  const { error, isLoaded, total } = transcript;
  const search = useTranscriptSearch(transcript, q);
  const [errorState, setErrorState] = useState<'idle' | 'searching' | 'none'>('idle');
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const current = at === undefined ? -1 : search.hits.indexOf(at);
  const step = (direction: 1 | -1) => {
    const hit = findHit(search.hits, at ?? 0, direction);
    if (hit !== undefined) onJump(hit);
  };
  const goToNextError = async () => {
    setErrorState('searching');
    const seq = await findNextError(transcript, at ?? 0, leaving.current.signal).catch(() => undefined);
    if (leaving.current.signal.aborted) return;
    setErrorState(seq === undefined ? 'none' : 'idle');
    if (seq !== undefined) onJump(seq);
  };
  if (error !== undefined) return <ErrorNotice error={error} onRetry={() => void transcript.refresh()} />;
  return (
    <div className={styles['root']}>
      <SearchBar
        q={q}
        onQueryChange={onQueryChange}
        search={search}
        current={current}
        onStep={step}
        total={total}
        onNextError={() => void goToNextError()}
        errorState={errorState}
      />
      {transcript.systemPrompt && <SystemPrompt text={transcript.systemPrompt} />}
      {!isLoaded ? (
        <Skeleton h={240} m="md" />
      ) : (
        <Rows transcript={transcript} q={q} at={at} jumpCount={jumpCount} />
      )}
    </div>
  );
}

/** Finds the next hit in a direction. After the last hit it continues at the first. */
function findHit(hits: readonly number[], from: number, direction: 1 | -1): number | undefined {
  return direction === 1
    ? (hits.find((seq) => seq > from) ?? hits[0])
    : (hits.findLast((seq) => seq < from) ?? hits.at(-1));
}

interface RowsProps {
  readonly transcript: Transcript;
  readonly q: string;
  readonly at: number | undefined;
  readonly jumpCount: number;
}

function Rows({ transcript, q, at, jumpCount }: RowsProps) {
  const { total, version } = transcript;
  const shownAt = at === undefined ? undefined : (findCallSeq(transcript, at) ?? at);
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => ESTIMATED_HEIGHT,
    overscan: 4,
  });
  const items = rows.getVirtualItems();
  const [first, last] = [(items[0]?.index ?? 0) + 1, (items.at(-1)?.index ?? 0) + 1];
  useEffect(() => {
    transcript.setVisible('conversation', first, last);
  }, [transcript, first, last, version]);
  useHighlight(scroll, q, `${version} ${first} ${last} ${at}`);
  useJump(transcript, at, jumpCount, (index) => rows.scrollToIndex(index, { align: 'start' }));
  const unread = useNewMessages(total, scroll, () => rows.scrollToIndex(total - 1, { align: 'end' }));
  const loadMessage = useMemo(() => createLoader(transcript.where), [transcript]);
  return (
    <div className={styles['main']}>
      {/* The conversation is scrolled with the keyboard. */}
      <div
        ref={scroll}
        className={styles['scroll']}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
      >
        {total === 0 && (
          <Text c="dimmed" size="sm" p="md">
            No messages yet.
          </Text>
        )}
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, key, start }) => (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className={styles['row']}
              style={{ transform: `translateY(${start}px)` }}
            >
              <FoundText value={shownAt === index + 1 ? q.toLowerCase() : ''}>
                <Row
                  transcript={transcript}
                  seq={index + 1}
                  isCurrent={shownAt === index + 1}
                  loadMessage={loadMessage}
                />
              </FoundText>
            </div>
          ))}
        </div>
      </div>
      {unread > 0 && (
        <Button
          className={styles['newMessages']}
          size="xs"
          radius="xl"
          leftSection={<IconArrowDown size={14} />}
          onClick={() => rows.scrollToIndex(total - 1, { align: 'end' })}
        >
          {formatCountOf(unread, 'new message')}
        </Button>
      )}
    </div>
  );
}

/** Scrolls to the message that was jumped to, once it is loaded. A tool result is shown with its call, which is scrolled to instead. */
function useJump(
  transcript: Transcript,
  at: number | undefined,
  jumpCount: number,
  scrollToIndex: (index: number) => void,
): void {
  const goTo = useEffectEvent(async (seq: number, isLeft: () => boolean) => {
    await transcript.ensureLoaded(seq);
    const shown = findCallSeq(transcript, seq) ?? seq;
    if (!isLeft()) scrollToIndex(Math.min(shown, transcript.total) - 1);
  });
  // The same message may be jumped to again.
  useEffect(() => {
    let isLeft = false;
    if (at !== undefined) void goTo(at, () => isLeft);
    return () => {
      isLeft = true;
    };
  }, [at, jumpCount]);
}

/**
 * Scrolls along with new messages while the end is visible.
 * @returns how many messages have arrived since then
 */
function useNewMessages(
  total: number,
  scroll: React.RefObject<HTMLElement | null>,
  goToEnd: () => void,
): number {
  const [seen, setSeen] = useState(total);
  const isAtEnd = useRef(false);
  const follow = useEffectEvent(goToEnd);
  const update = useEffectEvent(() => {
    const element = scroll.current;
    if (!element) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    if (isAtEnd.current) setSeen(total);
  });
  useEffect(() => {
    const element = scroll.current;
    update();
    const onScroll = () => update();
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, [scroll]);
  useEffect(() => {
    if (isAtEnd.current && total > 0) {
      setSeen(total);
      follow();
    } else setSeen((before) => Math.min(before, total));
  }, [total]);
  return total - seen;
}

interface RowProps {
  readonly transcript: Transcript;
  readonly seq: number;
  readonly isCurrent: boolean;
  readonly loadMessage: ReturnType<typeof createLoader>;
}

function Row({ transcript, seq, isCurrent, loadMessage }: RowProps) {
  const message = transcript.get(seq);
  if (!message) return <div className={styles['waiting']} aria-busy="true" />;
  const before = transcript.get(seq - 1);
  return (
    <MessageRow
      message={message}
      results={findResults(transcript, message)}
      isResultKnown={transcript.get(seq + 1) !== undefined || seq === transcript.total}
      isNewEra={before !== undefined && before.era !== message.era}
      isPaired={findCallSeq(transcript, seq) !== undefined}
      isCurrent={isCurrent}
      loadMessage={loadMessage}
    />
  );
}

function findResults(transcript: Transcript, { seq, tool_calls }: Message): (Message | undefined)[] {
  if (!tool_calls || tool_calls.length === 0) return [];
  const open = new Map(tool_calls.map(({ id }, index) => [id, index]));
  const results: (Message | undefined)[] = tool_calls.map(() => undefined);
  for (const message of transcript.near(seq, 1)) {
    const index =
      message.role === 'tool' && message.tool_call_id ? open.get(message.tool_call_id) : undefined;
    if (index !== undefined) {
      results[index] = message;
      open.delete(message.tool_call_id ?? '');
    }
    if (open.size === 0) break;
  }
  return results;
}

/** @returns the message with the call of a tool result, if it is loaded. The nearest one counts, because IDs of calls may repeat in a session. */
function findCallSeq(transcript: Transcript, seq: number): number | undefined {
  const result = transcript.get(seq);
  if (result?.role !== 'tool' || !result.tool_call_id) return undefined;
  for (const message of transcript.near(seq, -1)) {
    if (message.role === 'tool' && message.tool_call_id === result.tool_call_id) return undefined;
    if (message.tool_calls?.some(({ id }) => id === result.tool_call_id)) return message.seq;
  }
  return undefined;
}

function SystemPrompt({ text }: { readonly text: string }) {
  return (
    <div className={styles['prompt']}>
      <Fold
        title={
          <>
            <span className={styles['role']}>System prompt</span>
            <bdi className={styles['preview']}>{text.slice(0, 200)}</bdi>
          </>
        }
        text={text}
      >
        <LongText text={text} fileName="system-prompt.txt" label="System prompt" />
      </Fold>
    </div>
  );
}

/** Reads a whole message, because the page keeps only the beginning of long texts. */
const createLoader = (where: OneSession) => async (seq: number) => {
  const query = { after_seq: seq - 1, limit: 1, include_compacted: true };
  const { messages } = await drydock.transcripts.get(where, query);
  const [message] = messages;
  if (message?.seq !== seq)
    throw new Error(`Message ${seq} no longer exists, because the session was rewound. Reload the page.`);
  return message;
};
