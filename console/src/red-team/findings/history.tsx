/** The decisions about a finding, newest first: before and after, who, when and why. */
import type { FindingDetail, FindingReviewEvent } from '@drydock/sdk';
import { Stack, Text } from '@mantine/core';
import { formatTime } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import styles from '../red-team.module.css';
import { toWords } from '../states.ts';

export function History({ finding: { review_events } }: { readonly finding: FindingDetail }) {
  if (review_events.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nobody has decided anything yet.
      </Text>
    );
  const numbered = review_events.map((event, index) => ({ event, number: index + 1 }));
  return (
    <Stack component="ol" gap={8} p={0} m={0} className={styles['history']}>
      {numbered.toReversed().map(({ event, number }) => (
        <HistoryItem key={number} event={event} />
      ))}
    </Stack>
  );
}

function HistoryItem({ event }: { readonly event: FindingReviewEvent }) {
  const where = useWhere();
  const changes = [
    toChange('Status', event.original_status, event.updated_status),
    toChange('Severity', event.original_severity, event.updated_severity),
    toChange('Type', event.original_finding_type, event.updated_finding_type),
  ].filter((change) => change !== undefined);
  return (
    <li>
      <Text size="sm" fw={500}>
        {changes.length > 0 ? changes.join('; ') : 'Notes'}
      </Text>
      <Text size="xs" c="dimmed">
        {event.updated_by ?? 'unknown'}, {formatTime(event.updated_at)}
        {event.retest_id && (
          <>
            {', '}
            <AnchorLink
              to="/o/$org/w/$workspace/red-team/$assessmentId"
              params={{ ...where, assessmentId: event.retest_id }}
              search={{}}
              size="xs"
              underline="always"
            >
              retest
            </AnchorLink>
          </>
        )}
      </Text>
      {event.reasoning && (
        <Text size="sm" className="user-text">
          {event.reasoning}
        </Text>
      )}
    </li>
  );
}

function toChange(label: string, before: string | null, after: string | null): string | undefined {
  if (after === null || before === after) return undefined;
  return `${label}: ${before === null ? '–' : toWords(before)} → ${toWords(after)}`;
}
