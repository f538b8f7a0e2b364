/** The buttons of a job: cancel, retry. */
import type { TrainingJobResponse } from '@drydock/sdk';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh, IconX } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useReadJobAgain } from '../live.tsx';
import { hasEnded, nameOf } from '../states.ts';

interface JobProps {
  readonly job: TrainingJobResponse;
}

export const JobControls = ({ job }: JobProps) =>
  hasEnded(job.status) ? <RetryButton job={job} /> : <CancelButton job={job} />;

function CancelButton({ job }: JobProps) {
  const where = useWhere();
  const [isOpen, dialog] = useDisclosure();
  const readAgain = useReadJobAgain();
  const cancel = useAction(
    () => drydock.training.cancel({ ...where, job_id: job.id }),
    () => {
      readAgain(job.id);
      dialog.close();
    },
  );
  const isCancelling = job.cancel_requested_at !== null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconX size={14} />}
        disabled={isCancelling}
        onClick={dialog.open}
      >
        {isCancelling ? 'Cancelling' : 'Cancel'}
      </Button>
      <Confirm
        isOpen={isOpen}
        title={`Cancel ${nameOf(job)}?`}
        action="Cancel the job"
        refusal="Keep running"
        isPending={cancel.isPending}
        onConfirm={() => cancel.mutate(undefined)}
        onClose={dialog.close}
      >
        Its trainer stops within seconds. Curves and checkpoints are kept, and a retry continues from the last
        checkpoint.
      </Confirm>
    </>
  );
}

/** A retry is a new job, which continues from the last checkpoint. */
function RetryButton({ job }: JobProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const readAgain = useReadJobAgain();
  const retry = useAction(
    () => drydock.training.retry({ ...where, job_id: job.id }),
    async ({ id }) => {
      readAgain(id);
      await navigate({ to: '/o/$org/w/$workspace/training/$jobId', params: { ...where, jobId: id } });
    },
  );
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={retry.isPending}
      onClick={() => retry.mutate(undefined)}
    >
      Retry
    </Button>
  );
}
