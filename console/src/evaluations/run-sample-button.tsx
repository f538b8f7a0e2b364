import type { InWorkspace } from '@drydock/sdk';
import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { RUNNING_KEY } from '../frame/running-jobs.tsx';
import { runSampleEvaluation } from './run-sample.ts';

interface RunSampleButtonProps {
  readonly where: InWorkspace;
  readonly variant?: 'filled' | 'default';
}

/** Publishes the sample tasks, starts their evaluation and leads to it. */
export function RunSampleButton({ where, variant = 'filled' }: RunSampleButtonProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const run = useAction(runSampleEvaluation, async ({ id }) => {
    void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
    await navigate({
      to: '/o/$org/w/$workspace/evaluations/$evaluationId',
      params: { ...where, evaluationId: id },
    });
  });
  return (
    <Button
      size="xs"
      variant={variant}
      leftSection={<IconPlayerPlay size={14} />}
      loading={run.isPending}
      onClick={() => run.mutate(where)}
    >
      Run the sample evaluation
    </Button>
  );
}
