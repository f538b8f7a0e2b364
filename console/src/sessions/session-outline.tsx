/** The outline of a session: one line per message. */
import {
  IconAlertTriangle,
  IconCornerDownRight,
  IconFold,
  IconMessage,
  IconTool,
  IconUser,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { formatBytes } from '../components/format.ts';
import { isErrorResult, type Message } from './conversation/message-parts.ts';
import type { Transcript } from './conversation/transcript.ts';
import styles from './session.module.css';

const ROW_HEIGHT_PX = 26;

interface SessionOutlineProps {
  readonly transcript: Transcript;
  /** The message that was jumped to. */
  readonly at: number | undefined;
  readonly onJump: (seq: number) => void;
}

export function SessionOutline({ transcript, at, onJump }: SessionOutlineProps) {
  const { total, version } = transcript;
  const scroll = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 8,
  });
  const items = rows.getVirtualItems();
  const [first, last] = [(items[0]?.index ?? 0) + 1, (items.at(-1)?.index ?? 0) + 1];
  useEffect(() => {
    transcript.setVisible('outline', first, last);
  }, [transcript, first, last, version]);
  useEffect(() => {
    if (at !== undefined) rows.scrollToIndex(at - 1, { align: 'auto' });
  }, [at, rows]);
  const onKeyDown = (event: KeyboardEvent) => {
    const from = at ?? 0;
    const target = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 1, End: total }[event.key];
    if (target === undefined || target < 1 || target > total) return;
    event.preventDefault();
    onJump(target);
  };
  return (
    <div
      ref={scroll}
      className={styles['outline']}
      role="listbox"
      tabIndex={0}
      aria-label="Outline of the conversation"
      aria-activedescendant={at === undefined ? undefined : `outline-${at}`}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, start }) => (
          <OutlineRow
            key={index}
            message={transcript.get(index + 1)}
            isNewEra={isNewEra(transcript, index + 1)}
            seq={index + 1}
            start={start}
            isCurrent={at === index + 1}
            onJump={onJump}
          />
        ))}
      </div>
    </div>
  );
}

const isNewEra = (transcript: Transcript, seq: number): boolean => {
  const [before, message] = [transcript.get(seq - 1), transcript.get(seq)];
  return before !== undefined && message !== undefined && before.era !== message.era;
};

interface OutlineRowProps {
  readonly message: Message | undefined;
  readonly isNewEra: boolean;
  readonly seq: number;
  readonly start: number;
  readonly isCurrent: boolean;
  readonly onJump: (seq: number) => void;
}

function OutlineRow({ message, isNewEra: isEra, seq, start, isCurrent, onJump }: OutlineRowProps) {
  const isError = message !== undefined && isErrorResult(message);
  return (
    // The list takes the keys.
    <div
      id={`outline-${seq}`}
      role="option"
      aria-selected={isCurrent}
      tabIndex={-1}
      className={styles['outlineRow']}
      data-role={message?.role}
      data-error={isError || undefined}
      data-era={isEra || undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onJump(seq)}
    >
      <Icon message={message} isError={isError} isNewEra={isEra} />
      <bdi className={styles['outlineText']}>{message ? toLine(message) : '…'}</bdi>
    </div>
  );
}

function Icon({
  message,
  isError,
  isNewEra: isEra,
}: {
  readonly message: Message | undefined;
  readonly isError: boolean;
  readonly isNewEra: boolean;
}) {
  const props = { size: 13, className: styles['outlineIcon'], 'aria-hidden': true };
  if (isError) return <IconAlertTriangle {...props} />;
  if (isEra || (message && message.compacted_up_to_seq !== null)) return <IconFold {...props} />;
  if (message?.role === 'tool') return <IconCornerDownRight {...props} />;
  if (message?.role === 'user') return <IconUser {...props} />;
  if (message?.tool_calls?.length) return <IconTool {...props} />;
  return <IconMessage {...props} />;
}

function toLine(message: Message): string {
  const { role, content, contentLength, tool_calls, compacted_up_to_seq } = message;
  const text = content.slice(0, 120).replaceAll(/\s+/g, ' ').trim();
  if (compacted_up_to_seq !== null) return `Summary of 1 to ${compacted_up_to_seq}`;
  if (role === 'tool')
    return `${isErrorResult(message) ? 'Error' : 'Result'} · ${formatBytes(contentLength)} ${text}`;
  if (tool_calls?.length)
    return `${tool_calls.map(({ name }) => name).join(', ')}${text ? ` · ${text}` : ''}`;
  return text || '(no text)';
}
