/** What candidates are scored on, and how: a dataset or tasks, and a reward recipe. */
import {
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { DatasetInput, useNewestDataset, useNewestVersion } from '../../components/registry-inputs.tsx';
import { PARAMS, RECIPES, useNewJob, usesTasks } from './values.ts';

export function ExampleFields() {
  const form = useNewJob();
  return (
    <Stack gap="sm">
      {form.values.target_kind === 'capability_env' && (
        <div>
          <SegmentedControl
            size="xs"
            aria-label="Source"
            transitionDuration={0}
            data={[
              { value: 'dataset', label: 'Dataset' },
              { value: 'tasks', label: 'Tasks' },
            ]}
            {...form.getInputProps('source')}
          />
        </div>
      )}
      {usesTasks(form.values) ? (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TaskField path="task_refs" label="Tasks" isRequired />
          <TaskField path="val_task_refs" label="Validation tasks" />
        </SimpleGrid>
      ) : (
        <>
          <DatasetFields path="dataset_ref" label="Dataset" isRequired />
          <DatasetFields path="val_dataset_ref" label="Validation dataset" />
        </>
      )}
      <Text size="xs" c="dimmed">
        Without a validation set, candidates are validated on the training set, and a fifth of 20 or more
        examples is held out.
      </Text>
    </Stack>
  );
}

interface FieldProps<Path extends string> {
  readonly path: Path;
  readonly label: string;
  readonly isRequired?: boolean;
}

function TaskField({ path, label, isRequired = false }: FieldProps<'task_refs' | 'val_task_refs'>) {
  const form = useNewJob();
  return (
    <TagsInput
      label={label}
      required={isRequired}
      description="Task names; name@version chooses a version"
      placeholder={isRequired ? '' : 'the same tasks'}
      acceptValueOnBlur
      {...form.getInputProps(path)}
    />
  );
}

function DatasetFields({ path, label, isRequired = false }: FieldProps<'dataset_ref' | 'val_dataset_ref'>) {
  const form = useNewJob();
  const { name, version } = form.values[path];
  useNewestVersion(version, useNewestDataset(name), (newest) =>
    form.setFieldValue(`${path}.version`, newest),
  );
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <DatasetInput
        label={label}
        required={isRequired}
        placeholder={isRequired ? '' : 'none'}
        {...form.getInputProps(`${path}.name`)}
      />
      <TextInput
        label={`${label} version`}
        required={isRequired}
        {...form.getInputProps(`${path}.version`)}
      />
      <TextInput
        label={`${label} split`}
        placeholder={isRequired ? 'train, or the only one' : 'validation, or the only one'}
        {...form.getInputProps(`${path}.split`)}
      />
    </SimpleGrid>
  );
}

const HINTS = {
  exact_match_v1: 'The answer equals expected_output of the row.',
  contains_v1: 'The answer contains a text.',
  gsm8k_v1: 'The last number of the answer equals that of expected_output.',
  row_reward_v1: "The row's reward or, for tasks, the score of their verification.",
  trajectory_imitation_v1: "As exact match, with the row's reward for a hit.",
} as const;

const PARAM_LABELS = {
  needle: 'Text to contain',
  expected_output: 'Expected output',
  reward_if_true: 'Reward for a hit',
  reward_if_false: 'Reward for a miss',
  default: 'Default reward',
} as const;

const PARAM_PLACEHOLDERS = {
  needle: '',
  expected_output: "the row's",
  reward_if_true: '1',
  reward_if_false: '0',
  default: '0',
} as const;

export function RewardFields() {
  const form = useNewJob();
  const { recipe } = form.values;
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        {HINTS[recipe]}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 4 }} spacing="sm">
        <Select
          label="Reward recipe"
          required
          allowDeselect={false}
          data={[...RECIPES]}
          {...form.getInputProps('recipe')}
        />
        {PARAMS[recipe].map((name) => {
          const props = {
            label: PARAM_LABELS[name],
            placeholder: PARAM_PLACEHOLDERS[name],
            ...form.getInputProps(`params.${name}`),
          };
          return name === 'needle' || name === 'expected_output' ? (
            <TextInput key={name} required={name === 'needle'} {...props} />
          ) : (
            <NumberInput key={name} {...props} />
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}
