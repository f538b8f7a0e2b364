/** The log of a job and of its trainer. It follows new lines until the reader scrolls up. */
import type { OneTrainingJob } from '@drydock/sdk';
import { Button, Group, Loader, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { downloadFile } from '../../components/download.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCount, formatCountOf } from '../../components/format.ts';
import { type Log, type LogEntry, logQuery } from '../queries.ts';
import type { TrainingSearch } from '../search.ts';
import styles from '../training.module.css';

/** Lines that are in the page at once: the browser lays out all of them. */
const SHOWN_LINES = 1_000;
/** The end of the log is reached this many pixels before it, because browsers round. */
const NEAR_END = 8;

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;

interface LogTabProps {
  readonly jobRef: OneTrainingJob;
  readonly search: TrainingSearch;
  readonly onChange: (next: TrainingSearch, options?: { readonly replace: boolean }) => void;
}

export function LogTab({ jobRef, search, onChange }: LogTabProps) {
  const { data, error, refetch, isFetching } = useQuery(logQuery(jobRef));
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  if (data.lines.length === 0)
    return <EmptyState title="No log lines yet">The first line is written when a trainer starts.</EmptyState>;
  return (
    <>
      <LogView log={data} jobId={jobRef.job_id} search={search} onChange={onChange} />
      {data.hasMore && (
        <Group mt="xs">
          <Text size="sm">The first {formatCount(data.lines.length)} lines are shown.</Text>
          <Button size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
            Read on
          </Button>
        </Group>
      )}
    </>
  );
}

interface LogViewProps extends Omit<LogTabProps, 'jobRef'> {
  readonly log: Log;
  readonly jobId: string;
}

function LogView({ log, jobId, search, onChange }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [limit, setLimit] = useState(SHOWN_LINES);
  const least = LEVELS.indexOf(search.level ?? 'debug');
  const lines = log.lines.filter(({ level }) => LEVELS.indexOf(level) >= least);
  const shown = lines.slice(-limit);
  useEffect(() => {
    if (isFollowing) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines.length, isFollowing]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? document.body;
    setFollowing(scrollTop + clientHeight >= scrollHeight - NEAR_END);
  };
  return (
    <>
      <Group mb="xs" gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Level"
          data={[
            { value: 'debug', label: 'All levels' },
            { value: 'info', label: 'Info and above' },
            { value: 'warning', label: 'Warnings and errors' },
            { value: 'error', label: 'Errors' },
          ]}
          value={search.level ?? 'debug'}
          onChange={({ currentTarget: { value } }) =>
            onChange(
              { level: value === 'info' || value === 'warning' || value === 'error' ? value : undefined },
              { replace: true },
            )
          }
        />
        <Button
          size="xs"
          variant={isFollowing ? 'light' : 'default'}
          aria-pressed={isFollowing}
          onClick={() => setFollowing(!isFollowing)}
        >
          {isFollowing ? 'Stop following' : 'Follow'}
        </Button>
        <Text size="xs" c="dimmed">
          {formatCountOf(lines.length, 'line')}
        </Text>
        {shown.length < lines.length && (
          <Button size="compact-xs" variant="default" onClick={() => setLimit(limit + SHOWN_LINES)}>
            Show {formatCount(Math.min(SHOWN_LINES, lines.length - shown.length))} earlier lines
          </Button>
        )}
        <Button size="xs" variant="default" ml="auto" onClick={() => download(jobId, log.lines)}>
          Download
        </Button>
      </Group>
      <div ref={box} className={styles['log']} role="log" aria-label="Log" tabIndex={0} onScroll={onScroll}>
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
        {shown.length === 0 && (
          <Text size="sm" c="dimmed">
            No line has this level.
          </Text>
        )}
      </div>
    </>
  );
}

const Line = ({ line: { timestamp, level, message, data } }: { readonly line: LogEntry }) => (
  <div className={styles['entry']}>
    <time dateTime={timestamp}>{new Date(timestamp).toLocaleTimeString()}</time>
    <span data-level={level}>{level}</span>
    <span className="user-text">
      {message}
      {data && Object.keys(data).length > 0 && (
        <Text span inherit c="dimmed">
          {' '}
          {JSON.stringify(data)}
        </Text>
      )}
    </span>
  </div>
);

const download = (jobId: string, lines: readonly LogEntry[]): void =>
  downloadFile(
    `training-${jobId}.log`,
    lines
      .map(({ timestamp, level, message, data }) =>
        [timestamp, level, message, ...(data ? [JSON.stringify(data)] : [])].join(' '),
      )
      .join('\n'),
  );
