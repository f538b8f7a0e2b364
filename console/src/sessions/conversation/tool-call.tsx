/** A tool call together with its result. */
import type { StoredMessage } from '@drydock/sdk';
import { Badge, Text } from '@mantine/core';
import { IconAlertTriangle, IconTool } from '@tabler/icons-react';
import { formatBytes } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import styles from './conversation.module.css';
import { Fold } from './fold.tsx';
import { getImages, isErrorResult, type Message } from './message-parts.ts';

type Call = NonNullable<Message['tool_calls']>[number];

interface ToolCallProps {
  readonly call: Call;
  /** The length of the arguments before they were truncated. */
  readonly argumentsLength: number | undefined;
  readonly loadArguments: () => Promise<string>;
  readonly result: Message | undefined;
  /** Whether later messages are loaded, so that a missing result means that there is none yet. */
  readonly isResultKnown: boolean;
  readonly loadMessage: (seq: number) => Promise<StoredMessage>;
}

/** Longer results are collapsed at first. */
const SHORT_RESULT = 600;
const SHORT_LINES = 8;
const SHORT_LINE = 100;
const SHORT_ERROR = 4_000;

export function ToolCall(props: ToolCallProps) {
  const { call, argumentsLength = 0, loadArguments, result, isResultKnown, loadMessage } = props;
  const text = formatArguments(call.arguments);
  const fullLength = argumentsLength > call.arguments.length ? argumentsLength : text.length;
  const isFailed = result !== undefined && isErrorResult(result);
  return (
    <section
      className={styles['call']}
      data-error={isFailed || undefined}
      aria-label={`Call of ${call.name}`}
    >
      <div className={styles['callHead']}>
        <IconTool size={14} aria-hidden />
        <code className={styles['callName']}>{call.name}</code>
        {isFailed && (
          <Badge size="xs" color="red" leftSection={<IconAlertTriangle size={10} />}>
            error
          </Badge>
        )}
      </div>
      {text.length <= SHORT_RESULT ? (
        <pre className="program-text">{text}</pre>
      ) : (
        <Fold title={<span>Arguments · {formatBytes(fullLength)}</span>} text={text}>
          <LongText
            text={text}
            fullLength={fullLength}
            loadFull={loadArguments}
            fileName={`${call.id}.json`}
            label={`Arguments of ${call.name}`}
          />
        </Fold>
      )}
      {result ? (
        <ToolResult result={result} loadMessage={loadMessage} />
      ) : (
        isResultKnown && (
          <Text size="xs" c="dimmed" mt={4}>
            No result yet.
          </Text>
        )
      )}
    </section>
  );
}

interface ToolResultProps {
  readonly result: Message;
  readonly loadMessage: (seq: number) => Promise<StoredMessage>;
}

export function ToolResult({ result, loadMessage }: ToolResultProps) {
  const { content, contentLength, seq } = result;
  const isFailed = isErrorResult(result);
  const isShort = contentLength <= SHORT_RESULT && content.split('\n', SHORT_LINES + 1).length <= SHORT_LINES;
  const firstLine =
    content
      .slice(0, 200)
      .split('\n')
      .find((line) => line.trim() !== '') ?? '(empty)';
  return (
    <>
      <Fold
        isInitiallyOpen={isShort || (isFailed && contentLength <= SHORT_ERROR)}
        isError={isFailed}
        text={content}
        title={
          <>
            <span className={styles['quiet']}>Result · {formatBytes(contentLength)}</span>
            {!isShort && <bdi className={styles['preview']}>{firstLine}</bdi>}
          </>
        }
      >
        <LongText
          text={content}
          fullLength={contentLength}
          loadFull={async () => (await loadMessage(seq)).content}
          fileName={`result-${seq}.txt`}
          label={`Result, message ${seq}`}
        />
      </Fold>
      <Images message={result} />
    </>
  );
}

export function Images({ message }: { readonly message: Message }) {
  return getImages(message).map((url, index) => (
    // An image is identified by its place in the message.
    <img key={index} src={url} alt={`Part ${index + 1} of message ${message.seq}`} className="user-image" />
  ));
}

/** Formats arguments, which are usually JSON. Other text is shown unchanged. */
function formatArguments(text: string): string {
  // Parsing would round numbers with more than 15 digits.
  if (text.length > 20_000 || /\d{16}/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const line = JSON.stringify(value);
    return line.length <= SHORT_LINE ? line : JSON.stringify(value, undefined, 2);
  } catch {
    return text;
  }
}
