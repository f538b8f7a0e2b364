/** The running evaluations with their progress, which follows their events. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Badge, Button, Popover, Progress, Stack, Text } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { formatCount } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { countEnded } from '../evaluations/states.ts';
import { useWhere } from './scope.ts';

const MAX_SHOWN = 5;
const REFRESH_MS = 1_000;

export const RUNNING_KEY = 'running-evaluations';

export function RunningJobs() {
  const where = useWhere();
  const { data, refetch } = useQuery({
    queryKey: [RUNNING_KEY, where],
    queryFn: async ({ signal }) => {
      const list = (status: 'queued' | 'running') =>
        drydock.evaluations.list(where, { status, page_size: MAX_SHOWN }, { signal });
      const [running, queued] = await Promise.all([list('running'), list('queued')]);
      return {
        total: running.total + queued.total,
        items: [...running.items, ...queued.items].slice(0, MAX_SHOWN),
      };
    },
  });
  // No event stream announces new evaluations, so the list is read again on each page change and when the window gets the focus.
  const { pathname } = useLocation();
  useEffect(() => void refetch(), [pathname, refetch]);
  const running = data?.items ?? [];
  const total = data?.total ?? 0;
  return (
    <Popover position="bottom-end" width={320} withArrow>
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlayerPlay size={14} />}
          aria-label={`Running jobs: ${total}`}
          visibleFrom="xs"
        >
          <Badge size="sm" variant={total > 0 ? 'filled' : 'default'} circle={total < 10}>
            {total}
          </Badge>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {running.length === 0 && <Text size="sm">No evaluations are running.</Text>}
        <Stack gap="sm">
          {running.map((evaluation) => (
            <RunningEvaluation key={evaluation.id} evaluation={evaluation} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function RunningEvaluation({ evaluation }: { readonly evaluation: EvaluationResponse }) {
  const where = useWhere();
  const queries = useQueryClient();
  const { id, name, total_samples, item_counts } = evaluation;
  const refresh = useThrottledCallback(
    () => void queries.invalidateQueries({ queryKey: [RUNNING_KEY] }),
    REFRESH_MS,
  );
  useLiveEvents({
    name: `evaluations/${id}`,
    open: (options) => drydock.evaluations.events({ ...where, evaluation_id: id }, options),
    onEvent: refresh,
    onStart: () => undefined,
  });
  const ended = countEnded(item_counts);
  return (
    <div>
      <AnchorLink
        to="/o/$org/w/$workspace/evaluations/$evaluationId"
        params={{ ...where, evaluationId: id }}
        size="sm"
        className="user-text"
      >
        {name}
      </AnchorLink>
      <Progress
        value={total_samples > 0 ? (100 * ended) / total_samples : 0}
        aria-label={`${name}: ${ended} of ${total_samples} samples`}
        mt={4}
      />
      <Text size="xs" c="dimmed">
        {formatCount(ended)} of {formatCount(total_samples)} samples
      </Text>
    </div>
  );
}
