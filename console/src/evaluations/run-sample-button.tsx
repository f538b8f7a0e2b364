import type { InWorkspace } from '@drydock/sdk';
import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { runSampleEvaluation } from './run-sample.ts';

const NAME = 'Run the sample evaluation';

interface RunSampleButtonProps {
  readonly where: InWorkspace;
  readonly label?: string;
  readonly variant?: 'filled' | 'default';
}

/** Publishes the sample tasks, starts their evaluation and leads to it. */
export function RunSampleButton({ where, label = NAME, variant = 'filled' }: RunSampleButtonProps) {
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
      aria-label={NAME}
      loading={run.isPending}
      onClick={() => run.mutate(where)}
    >
      {label}
    </Button>
  );
}
