/** The buttons of a job: cancel, retry, promote. */
import type { OptimizationJobResponse } from '@drydock/sdk';
import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh, IconRocket, IconX } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useReadJobAgain } from '../live.tsx';
import { hasEnded, nameOf } from '../states.ts';

interface JobControlsProps {
  readonly job: OptimizationJobResponse;
  readonly onPromote: () => void;
}

export function JobControls({ job, onPromote }: JobControlsProps) {
  const { candidate_count } = job.summary.metadata;
  return (
    <>
      {hasEnded(job.status) ? <RetryMenu job={job} /> : <CancelButton job={job} />}
      <Button
        size="xs"
        leftSection={<IconRocket size={14} />}
        disabled={candidate_count < 2}
        title={candidate_count < 2 ? 'No better candidate was found yet' : undefined}
        onClick={onPromote}
      >
        Promote
      </Button>
    </>
  );
}

type JobProps = Pick<JobControlsProps, 'job'>;

function CancelButton({ job }: JobProps) {
  const where = useWhere();
  const [isOpen, dialog] = useDisclosure();
  const readAgain = useReadJobAgain();
  const cancel = useAction(
    () => drydock.optimization.cancel({ ...where, job_id: job.id }),
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
        It stops within seconds. Candidates and scores are kept, and a retry continues from them.
      </Confirm>
    </>
  );
}

/** A retry is a new job, which pays for nothing that this one has measured, unless it begins from the start. */
function RetryMenu({ job }: JobProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const readAgain = useReadJobAgain();
  const retry = useAction(
    (from_start: boolean) => drydock.optimization.retry({ ...where, job_id: job.id }, { from_start }),
    async ({ id }) => {
      readAgain(id);
      await navigate({ to: '/o/$org/w/$workspace/optimization/$jobId', params: { ...where, jobId: id } });
    },
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} loading={retry.isPending}>
          Retry
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => retry.mutate(false)}>Continue from its results</Menu.Item>
        <Menu.Item onClick={() => retry.mutate(true)}>From the start</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
