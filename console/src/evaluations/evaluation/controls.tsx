/** The buttons of an evaluation: pause, resume, concurrency, retry, edit, cancel, delete. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Button, NumberInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useAccept } from '../live.tsx';
import { LISTS_KEY } from '../queries.ts';
import { hasEnded } from '../states.ts';
import { EditDialog } from './edit-dialog.tsx';
import { RetryMenu } from './retry-menu.tsx';

interface EvaluationProps {
  readonly evaluation: EvaluationResponse;
}

export function EvaluationControls({ evaluation }: EvaluationProps) {
  const [isEditing, edit] = useDisclosure();
  const isOver = hasEnded(evaluation.status);
  return (
    <>
      {!isOver && <Concurrency evaluation={evaluation} />}
      {!isOver && <PauseButton evaluation={evaluation} />}
      <RetryMenu evaluation={evaluation} />
      <Button size="xs" variant="default" leftSection={<IconPencil size={14} />} onClick={edit.open}>
        Edit
      </Button>
      {isOver ? <DeleteButton evaluation={evaluation} /> : <CancelButton evaluation={evaluation} />}
      {isEditing && <EditDialog evaluation={evaluation} onClose={edit.close} />}
    </>
  );
}

/** A new value is applied when the field loses the focus or Enter is pressed. */
function Concurrency({ evaluation }: EvaluationProps) {
  const where = useWhere();
  const { id, concurrency, effective_concurrency } = evaluation;
  const [value, setValue] = useState<number | string>(concurrency);
  useEffect(() => setValue(concurrency), [concurrency]);
  const update = useAction(
    (next: number) => drydock.evaluations.update({ ...where, evaluation_id: id }, { concurrency: next }),
    useAccept(),
  );
  const apply = () => {
    if (typeof value === 'number' && value !== concurrency) update.mutate(value);
    else setValue(concurrency);
  };
  return (
    <Tooltip
      label={
        effective_concurrency < concurrency
          ? `Limited to ${effective_concurrency} by the number of sandboxes that the organization may run`
          : 'Samples that run at the same time'
      }
    >
      <NumberInput
        size="xs"
        w={140}
        min={1}
        max={100}
        clampBehavior="strict"
        allowDecimal={false}
        leftSection="at once"
        leftSectionWidth={58}
        styles={{ section: { fontSize: 12, color: 'var(--mantine-color-dimmed)' } }}
        aria-label="Concurrency"
        value={value}
        disabled={update.isPending}
        onChange={setValue}
        onBlur={apply}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
      />
    </Tooltip>
  );
}

function PauseButton({ evaluation: { id, status } }: EvaluationProps) {
  const where = useWhere();
  const isPaused = status === 'paused';
  const update = useAction(
    (paused: boolean) => drydock.evaluations.update({ ...where, evaluation_id: id }, { paused }),
    useAccept(),
  );
  return (
    <Button
      size="xs"
      variant={isPaused ? 'filled' : 'default'}
      leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
      loading={update.isPending}
      disabled={status === 'queued'}
      onClick={() => update.mutate(!isPaused)}
    >
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  );
}

function CancelButton({ evaluation: { id, name } }: EvaluationProps) {
  const where = useWhere();
  const [isOpen, dialog] = useDisclosure();
  const accept = useAccept();
  const cancel = useAction(
    () => drydock.evaluations.cancel({ ...where, evaluation_id: id }),
    (changed) => {
      accept(changed);
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
        action="Cancel the evaluation"
        refusal="Keep running"
        isPending={cancel.isPending}
        onConfirm={() => cancel.mutate(undefined)}
        onClose={dialog.close}
      >
        Running samples stop within seconds. Results so far are kept, and failed samples can be retried later.
      </Confirm>
    </>
  );
}

function DeleteButton({ evaluation: { id, name } }: EvaluationProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isOpen, dialog] = useDisclosure();
  const remove = useAction(
    () => drydock.evaluations.delete({ ...where, evaluation_id: id }),
    async () => {
      await navigate({ to: '/o/$org/w/$workspace/evaluations', params: where });
      queries.removeQueries({ queryKey: ['evaluation', id] });
      await queries.invalidateQueries({ queryKey: [LISTS_KEY] });
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
        action="Delete the evaluation"
        refusal="Keep it"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
        onClose={dialog.close}
      >
        Its samples and results are deleted and cannot be restored. Its sessions are kept.
      </Confirm>
    </>
  );
}
