/** The samples that contain a text, each with the text around its first match. */
import type { OneEvaluation } from '@drydock/sdk';
import { Box, Button, Group, Highlight, Loader, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCount } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { ItemBadge } from '../figures.tsx';
import { itemQuery, itemSearchQuery } from '../queries.ts';
import { toTaskLabel } from '../states.ts';

const MATCHED_IN = { transcript: 'transcript', error: 'error', task_name: 'task name' } as const;
/** The search returns only IDs, so each hit reads its sample. Showing 20 at a time limits the requests. */
const STEP = 20;

export function SearchHits({
  evaluationRef,
  q,
}: {
  readonly evaluationRef: OneEvaluation;
  readonly q: string;
}) {
  const [shown, setShown] = useState(STEP);
  const { data, error, refetch } = useQuery({
    ...itemSearchQuery(evaluationRef, q),
    placeholderData: keepPreviousData,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Searching" />;
  if (data.matches.length === 0)
    return <EmptyState title="No results">No sample contains this text. Try fewer words.</EmptyState>;
  return (
    <Stack gap={0} component="section" aria-label="Search results">
      <Text size="xs" c="dimmed" mb={4} role="status">
        {data.has_more ? 'More than ' : ''}
        {formatCount(data.total)} {data.total === 1 ? 'sample matches' : 'samples match'}
      </Text>
      {data.matches.slice(0, shown).map(({ item_id, match_count, matched_in, snippet }) => (
        <Box key={item_id} py="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
          <HitTitle evaluationRef={evaluationRef} itemId={item_id} q={q} />
          {snippet !== null && (
            <Highlight
              highlight={q}
              size="sm"
              ff="monospace"
              className="user-text"
              highlightStyles={{ background: 'var(--mantine-color-yellow-3)', color: 'black' }}
            >
              {snippet}
            </Highlight>
          )}
          <Text size="xs" c="dimmed">
            in the {MATCHED_IN[matched_in]}
            {match_count > 1 ? `, ${formatCount(match_count)} messages` : ''}
          </Text>
        </Box>
      ))}
      {data.matches.length > shown && (
        <Button size="xs" variant="default" onClick={() => setShown(shown + STEP)}>
          Show more
        </Button>
      )}
    </Stack>
  );
}

function HitTitle({
  evaluationRef,
  itemId,
  q,
}: {
  readonly evaluationRef: OneEvaluation;
  readonly itemId: string;
  readonly q: string;
}) {
  const where = useWhere();
  const { data: item } = useQuery(itemQuery({ ...evaluationRef, item_id: itemId }));
  return (
    <Group gap="xs" mb={2}>
      <AnchorLink
        to="/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId"
        params={{ ...where, evaluationId: evaluationRef.evaluation_id, itemId }}
        search={{ q }}
        size="sm"
        fw={500}
        className="user-text"
      >
        {item ? `${toTaskLabel(item)}, sample ${item.sample}` : 'Sample'}
      </AnchorLink>
      {item && <ItemBadge status={item.item_status} />}
    </Group>
  );
}
