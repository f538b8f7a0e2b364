/** One message: its text, its reasoning, its tool calls with their results. */
import type { StoredMessage } from '@drydock/sdk';
import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconBraces, IconFold } from '@tabler/icons-react';
import { memo, useEffect, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCount, formatTime, formatUsd } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import styles from './conversation.module.css';
import { Fold } from './fold.tsx';
import { getReasoning, type Message } from './message-parts.ts';
import { MessageText } from './message-text.tsx';
import { Images, ToolCall, ToolResult } from './tool-call.tsx';

const NAMES = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool' } as const;

export interface MessageRowProps {
  readonly message: Message;
  /** The results of its tool calls, in the order of the calls. */
  readonly results: readonly (Message | undefined)[];
  readonly isResultKnown: boolean;
  /** Whether a compaction happened between the previous message and this one. */
  readonly isNewEra: boolean;
  /** Whether it is a tool result that is shown with its call, and not in a row of its own. */
  readonly isPaired: boolean;
  readonly isCurrent: boolean;
  readonly loadMessage: (seq: number) => Promise<StoredMessage>;
}

export const MessageRow = memo(
  function MessageRow(props: MessageRowProps) {
    const { message, isNewEra, isPaired, isCurrent } = props;
    if (isPaired) return <div className={styles['paired']} data-seq={message.seq} />;
    return (
      <>
        {isNewEra && <EraMark era={message.era} />}
        <article
          className={styles['message']}
          data-role={message.role}
          data-seq={message.seq}
          data-current={isCurrent || undefined}
          aria-label={`${NAMES[message.role]}, message ${message.seq}`}
        >
          <MessageBody {...props} />
        </article>
      </>
    );
  },
  (before, after) =>
    before.message === after.message &&
    before.isNewEra === after.isNewEra &&
    before.isPaired === after.isPaired &&
    before.isCurrent === after.isCurrent &&
    before.isResultKnown === after.isResultKnown &&
    before.results.length === after.results.length &&
    before.results.every((result, index) => result === after.results[index]),
);

function EraMark({ era }: { readonly era: number }) {
  return (
    <div className={styles['era']} role="note">
      <IconFold size={14} aria-hidden />
      Compacted: the model sees a summary of everything above (compaction {era})
    </div>
  );
}

function MessageBody(props: MessageRowProps) {
  const { message, loadMessage } = props;
  const [isRaw, setIsRaw] = useState(false);
  return (
    <>
      <header className={styles['head']}>
        <span className={styles['role']}>{NAMES[message.role]}</span>
        {message.model && <span className={styles['quiet']}>{message.model}</span>}
        {message.compacted_up_to_seq !== null && (
          <span className={styles['quiet']}>
            Summary of messages 1 to {formatCount(message.compacted_up_to_seq)}
          </span>
        )}
        <span className={styles['end']}>
          {message.usage && (
            <span className={styles['quiet']}>
              {formatCount(message.usage.input_tokens)} → {formatCount(message.usage.output_tokens)} tokens
              {message.usage.cost_usd !== null && ` · ${formatUsd(message.usage.cost_usd)}`}
            </span>
          )}
          <time
            className={styles['quiet']}
            dateTime={message.created_at}
            title={formatTime(message.created_at)}
          >
            {new Date(message.created_at).toLocaleTimeString()}
          </time>
          <span className={styles['quiet']}>#{message.seq}</span>
          <Tooltip label={isRaw ? 'Show the message' : 'Show the raw JSON'}>
            <ActionIcon
              size="xs"
              variant={isRaw ? 'filled' : 'subtle'}
              aria-label="Raw JSON"
              aria-pressed={isRaw}
              onClick={() => setIsRaw(!isRaw)}
            >
              <IconBraces size={13} />
            </ActionIcon>
          </Tooltip>
        </span>
      </header>
      {isRaw ? <RawMessage seq={message.seq} loadMessage={loadMessage} /> : <MessageContent {...props} />}
    </>
  );
}

function MessageContent({ message, results, isResultKnown, loadMessage }: MessageRowProps) {
  const { role, content, contentLength, seq } = message;
  const loadFull = async () => (await loadMessage(seq)).content;
  const reasoning = getReasoning(message);
  return (
    <>
      {reasoning !== undefined && (
        <Fold title={<span className={styles['quiet']}>Thinking</span>} text={reasoning}>
          <LongText text={reasoning} fileName={`thinking-${seq}.txt`} label={`Thinking, message ${seq}`} />
        </Fold>
      )}
      {role === 'tool' ? (
        <ToolResult result={message} loadMessage={loadMessage} />
      ) : (
        <>
          {role === 'system' ? (
            <Fold title={<bdi className={styles['preview']}>{content.slice(0, 200)}</bdi>} text={content}>
              <LongText
                text={content}
                fullLength={contentLength}
                loadFull={loadFull}
                fileName={`system-${seq}.txt`}
                label={`System message ${seq}`}
              />
            </Fold>
          ) : (
            content !== '' && <MessageText text={content} fullLength={contentLength} loadFull={loadFull} />
          )}
          <Images message={message} />
        </>
      )}
      {message.tool_calls?.map((call, index) => (
        <ToolCall
          // Ids of calls need not be unique.
          key={index}
          call={call}
          argumentsLength={message.argumentsLengths[index]}
          loadArguments={async () => (await loadMessage(seq)).tool_calls?.[index]?.arguments ?? ''}
          result={results[index]}
          isResultKnown={isResultKnown}
          loadMessage={loadMessage}
        />
      ))}
    </>
  );
}

function RawMessage({ seq, loadMessage }: Pick<MessageRowProps, 'loadMessage'> & { readonly seq: number }) {
  const [raw, setRaw] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let isLeft = false;
    loadMessage(seq).then(
      (message) => !isLeft && setRaw(JSON.stringify(message, undefined, 2)),
      (caught: unknown) => !isLeft && setError(caught),
    );
    return () => {
      isLeft = true;
    };
  }, [seq, loadMessage]);
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (raw === undefined)
    return (
      <Text size="xs" c="dimmed">
        Loading …
      </Text>
    );
  return <LongText text={raw} fileName={`message-${seq}.json`} label={`Raw JSON of message ${seq}`} />;
}
