/** Publishes a finding as a task, so that later versions can be tested against its attack. */
import type { FindingDetail, RegressionTaskRequest, RegressionTaskResponse } from '@drydock/sdk';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { toFieldErrors } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { ButtonLink } from '../../components/links.tsx';
import { ModelInput } from '../../components/registry-inputs.tsx';
import { useWhere } from '../../frame/scope.ts';

const DEFAULT_SET = 'regressions';

interface RegressionDialogProps {
  readonly finding: FindingDetail;
  readonly onClose: () => void;
}

export function RegressionDialog({ finding, onClose }: RegressionDialogProps) {
  const [made, setMade] = useState<RegressionTaskResponse>();
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>Make a regression task</Text>} centered size="lg">
      {made ? (
        <Result made={made} onClose={onClose} />
      ) : (
        <RegressionForm finding={finding} onMade={setMade} onClose={onClose} />
      )}
    </Modal>
  );
}

interface Values {
  task_set: string;
  name: string;
  judge_model: string;
}

/** Fields that are left empty get their defaults from the server. */
const toRequest = (values: Values): RegressionTaskRequest =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

interface RegressionFormProps extends RegressionDialogProps {
  readonly onMade: (made: RegressionTaskResponse) => void;
}

function RegressionForm({ finding, onMade, onClose }: RegressionFormProps) {
  const where = useWhere();
  const form = useForm<Values>({ initialValues: { task_set: DEFAULT_SET, name: '', judge_model: '' } });
  const make = useAction(
    (request: RegressionTaskRequest) =>
      drydock.findings.createRegressionTask({ ...where, finding_id: finding.id }, request),
    onMade,
  );
  const submit = (values: Values) =>
    make.mutate(toRequest(values), { onError: (error) => form.setErrors(toFieldErrors(error)) });
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          Publishes the best prompt of the attack as a task. A version passes the task when the attack does
          not succeed. The task is added to a task set, which gates and evaluations can run.
        </Text>
        <TextInput
          label="Task set"
          description="Created if it does not exist"
          placeholder={DEFAULT_SET}
          data-autofocus
          {...form.getInputProps('task_set')}
        />
        <TextInput
          label="Name of the task"
          placeholder="made of the attack and the ID of the finding"
          {...form.getInputProps('name')}
        />
        <ModelInput
          label="Model that judges answers"
          placeholder={finding.evaluator_model ?? 'the judge of the finding'}
          {...form.getInputProps('judge_model')}
        />
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onClose}>
            Discard
          </Button>
          <Button size="xs" type="submit" loading={make.isPending}>
            Make the task
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ResultProps {
  readonly made: RegressionTaskResponse;
  readonly onClose: () => void;
}

function Result({ made: { task_name, task_version, task_set, created }, onClose }: ResultProps) {
  const where = useWhere();
  return (
    <Stack gap="sm" role="status">
      <Text size="sm" className="user-text">
        {created ? 'Published' : 'It was there already:'}{' '}
        <b>
          {task_name}@{task_version}
        </b>
        , in the task set <b>{task_set}</b>.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={onClose}>
          Close
        </Button>
        <ButtonLink to="/o/$org/w/$workspace/evaluations/new" params={where} search={{ task_set }} size="xs">
          Evaluate the task set
        </ButtonLink>
      </Group>
    </Stack>
  );
}
