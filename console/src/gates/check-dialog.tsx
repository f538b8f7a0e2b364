/** Checks a version of a capability, or a model, with a gate. */
import type { GateCheckRequest, GateResponse } from '@drydock/sdk';
import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { toFieldErrors } from '../api/problem.ts';
import { useAction } from '../api/use-action.ts';
import {
  CapabilityInput,
  ModelInput,
  useNewestCapability,
  useNewestVersion,
} from '../components/registry-inputs.tsx';
import { useWhere } from '../frame/scope.ts';
import { GATES_KEY } from './queries.ts';

interface CheckDialogProps {
  readonly gate: GateResponse;
  readonly onClose: () => void;
}

interface Values {
  of: 'capability' | 'model';
  capability: string;
  version: string;
  model: string;
}

const toRequest = ({ of, capability, version, model }: Values): GateCheckRequest => ({
  ...(of === 'capability' && { capability, version }),
  ...(model !== '' && { model }),
});

export function CheckDialog({ gate, onClose }: CheckDialogProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useForm<Values>({
    initialValues: { of: 'capability', capability: gate.protects[0] ?? '', version: '', model: '' },
  });
  const isCapability = form.values.of === 'capability';
  useNewestVersion(form.values.version, useNewestCapability(form.values.capability), (version) =>
    form.setFieldValue('version', version),
  );
  const check = useAction(
    (request: GateCheckRequest) => drydock.gates.check({ ...where, gate: gate.name }, request),
    async ({ id }) => {
      void queries.invalidateQueries({ queryKey: [GATES_KEY] });
      await navigate({
        to: '/o/$org/w/$workspace/gates/$gate/checks/$checkId',
        params: { ...where, gate: gate.name, checkId: id },
      });
    },
  );
  const submit = (values: Values) =>
    check.mutate(toRequest(values), { onError: (error) => form.setErrors(toFieldErrors(error)) });
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>Check a version</Text>} centered size="lg">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="sm">
          <Text size="sm">
            Runs the evaluations and attacks that the rules of <b className="user-text">{gate.name}</b> need,
            and gives each rule a verdict.
          </Text>
          <SegmentedControl
            size="xs"
            aria-label="What is checked"
            transitionDuration={0}
            data={[
              { value: 'capability', label: 'Version of a capability' },
              { value: 'model', label: 'Model' },
            ]}
            {...form.getInputProps('of')}
          />
          {isCapability && (
            <Group gap="sm" grow align="flex-start">
              <CapabilityInput
                label="Capability"
                required
                data-autofocus
                {...form.getInputProps('capability')}
              />
              <TextInput label="Version" required {...form.getInputProps('version')} />
            </Group>
          )}
          <ModelInput
            label="Model"
            required={!isCapability}
            {...(isCapability && { placeholder: gate.model ?? 'needed: the gate names none' })}
            {...form.getInputProps('model')}
          />
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              Discard
            </Button>
            <Button size="xs" type="submit" loading={check.isPending}>
              Start the check
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
