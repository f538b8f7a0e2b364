/** Changes the name, the tags and the budget of an evaluation. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Button, Group, Modal, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { drydock } from '../../api/client.ts';
import { toFieldErrors } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { useWhere } from '../../frame/scope.ts';
import { useAccept } from '../live.tsx';

interface EditDialogProps {
  readonly evaluation: EvaluationResponse;
  readonly onClose: () => void;
}

interface Values {
  name: string;
  tags: string[];
  budget_usd: number | string;
}

export function EditDialog({ evaluation: { id, name, tags, budget_usd }, onClose }: EditDialogProps) {
  const where = useWhere();
  const accept = useAccept();
  const form = useForm<Values>({ initialValues: { name, tags, budget_usd: budget_usd ?? '' } });
  const save = useAction(
    (values: Values) =>
      drydock.evaluations.update(
        { ...where, evaluation_id: id },
        { ...values, budget_usd: values.budget_usd === '' ? null : Number(values.budget_usd) },
      ),
    (changed) => {
      accept(changed);
      onClose();
    },
  );
  const submit = (values: Values) =>
    save.mutate(values, { onError: (error) => form.setErrors(toFieldErrors(error)) });
  return (
    <Modal opened onClose={onClose} title="Edit the evaluation" centered>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="sm">
          <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
          <TagsInput label="Tags" {...form.getInputProps('tags')} />
          <NumberInput
            label="Budget ($)"
            description="The evaluation pauses when the budget is spent. Leave it empty for no limit."
            min={0}
            {...form.getInputProps('budget_usd')}
          />
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              Discard changes
            </Button>
            <Button size="xs" type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
