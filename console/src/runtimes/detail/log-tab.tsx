/** What happened to a sandbox: starts, pauses, capabilities, its end. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { downloadFile } from '../../components/download.ts';
import { formatCountOf } from '../../components/format.ts';
import type { LogEntry } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import styles from '../runtimes.module.css';
import { SandboxLog } from './sandbox-log.tsx';

export function LogTab(props: RuntimeTabProps) {
  return (
    <SandboxLog {...props} kind="lifecycle">
      {(entries, { sandbox_id }) => (
        <Stack gap="xs">
          <div className={styles['log']} role="log" aria-label="Log" tabIndex={0}>
            {entries.map((entry) => (
              <Line key={entry.number} entry={entry} />
            ))}
          </div>
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              {formatCountOf(entries.length, 'line')}. Output of programs is not recorded here: read it in the
              terminal or in files.
            </Text>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => downloadFile(`sandbox-${sandbox_id}.log`, entries.map(toLine).join('\n'))}
            >
              Download
            </Button>
          </Group>
        </Stack>
      )}
    </SandboxLog>
  );
}

const describeDetails = (details: LogEntry['details']): string =>
  Object.keys(details).length > 0 ? JSON.stringify(details) : '';

const toLine = ({ at, message, details }: LogEntry): string =>
  [at, message, describeDetails(details)].filter(Boolean).join(' ');

const Line = ({ entry: { at, message, details } }: { readonly entry: LogEntry }) => (
  <div className={styles['entry']}>
    <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time>
    <span className="user-text">
      {message}{' '}
      <Text span inherit c="dimmed">
        {describeDetails(details)}
      </Text>
    </span>
  </div>
);
