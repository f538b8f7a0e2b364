import type { InWorkspace } from '@drydock/sdk';
import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { runSampleEvaluation } from './run-sample.ts';

interface RunSampleButtonProps {
  readonly where: InWorkspace;
  readonly variant?: 'filled' | 'default';
}

/** Publishes the sample tasks, starts their evaluation and leads to it. */
export function RunSampleButton({ where, variant = 'filled' }: RunSampleButtonProps) {
  const navigate = useNavigate();
  const run = useAction(runSampleEvaluation, ({ id }) =>
    navigate({
      to: '/o/$org/w/$workspace/evaluations/$evaluationId',
      params: { ...where, evaluationId: id },
    }),
  );
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
