/** The buttons of an assessment: start, cancel, delete. */
import type { AssessmentResponse } from '@drydock/sdk';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPlay, IconTrash, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useReadAssessmentAgain } from '../live.tsx';
import { ASSESSMENT_KEY, ASSESSMENT_LISTS_KEY, FINDING_LISTS_KEY } from '../queries.ts';

interface AssessmentProps {
  readonly assessment: AssessmentResponse;
}

export function AssessmentControls({ assessment }: AssessmentProps) {
  const { status } = assessment;
  return (
    <>
      {status === 'pending' && <StartButton assessment={assessment} />}
      {status === 'running' ? (
        <CancelButton assessment={assessment} />
      ) : (
        <DeleteButton assessment={assessment} />
      )}
    </>
  );
}

function StartButton({ assessment: { id } }: AssessmentProps) {
  const where = useWhere();
  const readAgain = useReadAssessmentAgain();
  const start = useAction(
    () => drydock.assessments.start({ ...where, assessment_id: id }),
    () => readAgain(id),
  );
  return (
    <Button
      size="xs"
      leftSection={<IconPlayerPlay size={14} />}
      loading={start.isPending}
      onClick={() => start.mutate(undefined)}
    >
      Start
    </Button>
  );
}

function CancelButton({ assessment: { id, name } }: AssessmentProps) {
  const where = useWhere();
  const [isOpen, dialog] = useDisclosure();
  const readAgain = useReadAssessmentAgain();
  const cancel = useAction(
    () => drydock.assessments.cancel({ ...where, assessment_id: id }),
    () => {
      readAgain(id);
      dialog.close();
    },
  );
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconX size={14} />} onClick={dialog.open}>
        Cancel
      </Button>
      <Confirm
        isOpen={isOpen}
        title={`Cancel ${name}?`}
        action="Cancel the assessment"
        refusal="Keep running"
        isPending={cancel.isPending}
        onConfirm={() => cancel.mutate(undefined)}
        onClose={dialog.close}
      >
        It stops within seconds and cannot be continued. Everything that was measured is kept.
      </Confirm>
    </>
  );
}

function DeleteButton({ assessment: { id, name } }: AssessmentProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure();
  const remove = useAction(
    () => drydock.assessments.delete({ ...where, assessment_id: id }),
    async () => {
      await navigate({ to: '/o/$org/w/$workspace/red-team', params: where });
      queries.removeQueries({ queryKey: [ASSESSMENT_KEY, id] });
      await queries.invalidateQueries({ queryKey: [ASSESSMENT_LISTS_KEY] });
      await queries.invalidateQueries({ queryKey: [FINDING_LISTS_KEY] });
    },
  );
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconTrash size={14} />} onClick={dialog.open}>
        Delete
      </Button>
      <Confirm
        isOpen={isOpen}
        title={`Delete ${name}?`}
        action="Delete the assessment"
        refusal="Keep it"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
        onClose={dialog.close}
      >
        Its findings, trials and reports are deleted and cannot be restored. The history of triage is kept for
        audits.
      </Confirm>
    </>
  );
}
