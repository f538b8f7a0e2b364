/** The fields of a new training job: what is trained, on what, and how. */
import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { drydock } from '../../api/client.ts';
import {
  CapabilityInput,
  DatasetInput,
  useNewestCapability,
  useNewestDataset,
  useNewestVersion,
} from '../../components/registry-inputs.tsx';
import { projectsQuery, useWhere } from '../../frame/scope.ts';
import { type DatasetValues, NO_DATASET, useNewTraining } from './values.ts';

const MAX_MODELS = 100;

export function ModelFields() {
  const form = useNewTraining();
  const where = useWhere();
  const { data } = useQuery({
    queryKey: ['training-catalog', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.training.catalog(where, { limit: MAX_MODELS }, { signal }),
  });
  const { name, version } = form.values.capability_ref;
  useNewestVersion(version, useNewestCapability(name), (newest) =>
    form.setFieldValue('capability_ref.version', newest),
  );
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Base model"
        required
        description="A version of the registry, or the name of a model that the trainer has"
        placeholder="organization/name@version"
        data={(data?.models ?? []).map((model) => model.name)}
        {...form.getInputProps('model')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <CapabilityInput
          label="Capability"
          required
          description="Its system prompt goes before examples without one"
          {...form.getInputProps('capability_ref.name')}
        />
        <TextInput
          label="Capability version"
          required
          description="The newest, unless you type another"
          {...form.getInputProps('capability_ref.version')}
        />
      </SimpleGrid>
    </Stack>
  );
}

export function DataFields() {
  const form = useNewTraining();
  const { trajectory_dataset_refs } = form.values.config;
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        Rows of messages, of prompt and completion, or of text; or recorded trajectories. At least one of both
        is needed.
      </Text>
      <DatasetFields path="config.dataset_ref" label="Dataset" value={form.values.config.dataset_ref} />
      {trajectory_dataset_refs.map((value, index) => (
        <DatasetFields
          // oxlint-disable-next-line react/no-array-index-key -- the rows of a form have no other name
          key={index}
          path={`config.trajectory_dataset_refs.${index}`}
          label={`Trajectories ${index + 1}`}
          value={value}
        >
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Remove trajectories ${index + 1}`}
            onClick={() => form.removeListItem('config.trajectory_dataset_refs', index)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </DatasetFields>
      ))}
      <Group>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconPlus size={12} />}
          onClick={() => form.insertListItem('config.trajectory_dataset_refs', NO_DATASET)}
        >
          Add trajectories
        </Button>
      </Group>
      <DatasetFields
        path="config.eval_dataset_ref"
        label="Eval dataset"
        value={form.values.config.eval_dataset_ref}
      />
    </Stack>
  );
}

interface DatasetFieldsProps {
  readonly path: string;
  readonly label: string;
  readonly value: DatasetValues;
  /** A button at the end of the line. */
  readonly children?: ReactNode;
}

function DatasetFields({ path, label, value, children }: DatasetFieldsProps) {
  const form = useNewTraining();
  useNewestVersion(value.version, useNewestDataset(value.name), (newest) =>
    form.setFieldValue(`${path}.version`, newest),
  );
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" flex={1}>
        <DatasetInput label={label} placeholder="none" {...form.getInputProps(`${path}.name`)} />
        <TextInput label={`${label} version`} {...form.getInputProps(`${path}.version`)} />
        <TextInput
          label={`${label} split`}
          placeholder={
            path.endsWith('eval_dataset_ref') ? 'validation, or the only one' : 'train, or the only one'
          }
          {...form.getInputProps(`${path}.split`)}
        />
      </SimpleGrid>
      {children && <div style={{ paddingTop: 24 }}>{children}</div>}
    </Group>
  );
}

export function SettingFields() {
  const form = useNewTraining();
  const number = (name: string, label: string, placeholder: string, min = 1) => (
    <NumberInput
      label={label}
      placeholder={placeholder}
      min={min}
      allowDecimal={false}
      {...form.getInputProps(`config.${name}`)}
    />
  );
  const { lora_rank } = form.values.config;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {number('epochs', 'Epochs', '3')}
        {number('steps', 'Max. steps', 'no limit')}
        {number('batch_size', 'Batch size', '4')}
        {number('gradient_accumulation_steps', 'Accumulation', '1')}
        <TextInput label="Learning rate" placeholder="2e-4" {...form.getInputProps('config.learning_rate')} />
        {number('lora_rank', 'LoRA rank', '16')}
        {number('lora_alpha', 'LoRA alpha', String(2 * (Number(lora_rank) || 16)))}
        {number('max_sequence_length', 'Max. sequence length', '2048')}
        {number('checkpoint_interval', 'Checkpoint interval', 'once an epoch')}
        {number('seed', 'Seed', '0', 0)}
      </SimpleGrid>
      <Switch
        size="xs"
        label="Packing: join short examples to sequences of the full length"
        {...form.getInputProps('config.packing', { type: 'checkbox' })}
      />
    </Stack>
  );
}

export function NameFields() {
  const form = useNewTraining();
  const { data: projects = [] } = useQuery(projectsQuery(useWhere()));
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <TextInput
        label="Name"
        placeholder="the model's"
        description="The published model is named for it"
        {...form.getInputProps('name')}
      />
      <TagsInput
        label="Tags"
        description="To find it again"
        placeholder="Type and press Enter"
        acceptValueOnBlur
        {...form.getInputProps('tags')}
      />
      <Select
        label="Project"
        description="Lists can be narrowed to it"
        placeholder="No project"
        clearable
        data={projects.map(({ key, name }) => ({ value: key, label: name }))}
        {...form.getInputProps('project_ref')}
        value={form.values.project_ref || null}
        onChange={(key) => form.setFieldValue('project_ref', key ?? '')}
      />
    </SimpleGrid>
  );
}
