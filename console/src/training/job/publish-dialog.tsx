/** Publishes a checkpoint as a version of a model. */
import type { PublishCheckpointResponse, TrainingJobResponse } from '@drydock/sdk';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { toFieldErrors, toProblem } from '../../api/problem.ts';
import { formatCount } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { useReadJobAgain } from '../live.tsx';

interface PublishDialogProps {
  readonly job: TrainingJobResponse;
  readonly step: number;
  readonly onClose: () => void;
}

export function PublishDialog({ job, step, onClose }: PublishDialogProps) {
  const where = useWhere();
  const readAgain = useReadJobAgain();
  const [name, setName] = useState('');
  const [version, setVersion] = useState('');
  // The fields themselves show why it failed.
  const publish = useMutation({
    mutationFn: () =>
      drydock.training.publishCheckpoint(
        { ...where, job_id: job.id, step },
        { ...(name && { name }), ...(version && { version }) },
      ),
    onSuccess: (published) => {
      readAgain(job.id);
      notifyPublished(published);
      onClose();
    },
  });
  const errors = publish.error ? toFieldErrors(publish.error) : {};
  // A version that exists already belongs to no field of the request.
  const versionError =
    errors['version'] ?? (publish.error && !errors['name'] ? toProblem(publish.error).detail : undefined);
  const field = (set: (value: string) => void) => (event: React.ChangeEvent<HTMLInputElement>) => {
    set(event.currentTarget.value);
    publish.reset();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={<Text fw={600}>Publish the checkpoint of step {formatCount(step)}</Text>}
      size="lg"
      centered
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          publish.mutate();
        }}
      >
        <Stack gap="sm">
          <Text size="sm">
            The adapter becomes a version of a model, which keeps its lineage: base, data, settings and what
            was measured. Versions cannot be changed afterwards.
          </Text>
          <Group gap="sm" align="flex-start" grow>
            <TextInput
              label="Name"
              placeholder="the name of the job"
              data-autofocus
              value={name}
              error={errors['name']}
              onChange={field(setName)}
            />
            <TextInput
              label="Version"
              placeholder={`a pre-release, such as 1.0.0-step.${step}`}
              value={version}
              error={versionError}
              onChange={field(setVersion)}
            />
          </Group>
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={onClose}>
              Do not publish
            </Button>
            <Button size="xs" type="submit" loading={publish.isPending}>
              Publish the version
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function notifyPublished({ name, version, step }: PublishCheckpointResponse): void {
  notifications.show({
    color: 'teal',
    title: `${name}@${version} is published`,
    message: `It is the checkpoint of step ${formatCount(step)}. Serve it to call and evaluate it.`,
    autoClose: 15_000,
  });
}
