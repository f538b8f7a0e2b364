/** The source of an evaluation: tasks, a task set or a dataset. */
import {
  Autocomplete,
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useWhere } from '../../frame/scope.ts';
import { SCORER_TYPES, SOURCES, useNewEvaluation } from './values.ts';

const LABELS = { tasks: 'Tasks', task_set: 'Task set', dataset: 'Dataset' } as const;
const MAX_SUGGESTIONS = 20;

export function SourceFields() {
  const form = useNewEvaluation();
  const { source } = form.values;
  return (
    <Stack gap="sm">
      <Group>
        <SegmentedControl
          size="xs"
          aria-label="Source"
          transitionDuration={0}
          data={SOURCES.map((value) => ({ value, label: LABELS[value] }))}
          {...form.getInputProps('source')}
        />
      </Group>
      {source === 'tasks' && <TaskNames />}
      {source === 'task_set' && <TaskSet />}
      {source === 'dataset' && <Dataset />}
    </Stack>
  );
}

/** @returns a function that removes the current organization from a name */
const useShortName = () => {
  const ofOrg = `${useWhere().org}/`;
  return (name: string) => (name.startsWith(ofOrg) ? name.slice(ofOrg.length) : name);
};

function TaskNames() {
  const form = useNewEvaluation();
  const { org } = useWhere();
  const toShortName = useShortName();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 200);
  const { data } = useQuery({
    queryKey: ['task-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.tasks.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
  return (
    <TagsInput
      label="Tasks"
      required
      description="Task names; name@version chooses a version"
      placeholder={form.values.task_names.length > 0 ? '' : 'Search for tasks'}
      data={(data?.tasks ?? []).map(({ name }) => toShortName(name))}
      searchValue={typed}
      onSearchChange={setTyped}
      acceptValueOnBlur
      {...form.getInputProps('task_names')}
    />
  );
}

function TaskSet() {
  const form = useNewEvaluation();
  const { org } = useWhere();
  const toShortName = useShortName();
  const [search] = useDebouncedValue(form.values.task_set, 200);
  const { data } = useQuery({
    queryKey: ['task-set-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.taskSets.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
  return (
    <Autocomplete
      label="Task set"
      required
      data={(data?.task_sets ?? []).map(({ name }) => toShortName(name))}
      {...form.getInputProps('task_set')}
    />
  );
}

function useDataset() {
  const { dataset } = useNewEvaluation().values;
  const { org } = useWhere();
  const [search] = useDebouncedValue(dataset.name, 200);
  const [version] = useDebouncedValue(dataset.version, 200);
  const { data: names } = useQuery({
    queryKey: ['dataset-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.datasets.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
  const found = names?.datasets.find(({ name }) => name === search || name === `${org}/${search}`);
  const { data: detail } = useQuery({
    queryKey: ['dataset', org, search, version],
    queryFn: async ({ signal }) =>
      drydock.datasets.getVersion(
        { org, name: search, version: version || (found?.version ?? '') },
        { signal },
      ),
    enabled: found !== undefined,
    retry: false,
  });
  return { names: names?.datasets ?? [], newest: found?.version, detail };
}

function Dataset() {
  const form = useNewEvaluation();
  const toShortName = useShortName();
  const { names, newest, detail } = useDataset();
  const { split } = form.values.dataset;
  const columns = [
    ...new Set(
      (detail?.splits ?? [])
        .filter(({ name }) => split === '' || name === split)
        .flatMap((one) => one.columns.map(({ name }) => name)),
    ),
  ];
  const template = 'A column, or a text that contains {{column}}';
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Autocomplete
          label="Dataset"
          required
          data={names.map(({ name }) => toShortName(name))}
          {...form.getInputProps('dataset.name')}
        />
        <TextInput
          label="Version"
          required
          placeholder={newest}
          {...form.getInputProps('dataset.version')}
          onFocus={() => {
            if (newest && form.values.dataset.version === '') form.setFieldValue('dataset.version', newest);
          }}
        />
        <Autocomplete
          label="Split"
          placeholder="the only one"
          data={(detail?.splits ?? []).map(({ name }) => name)}
          {...form.getInputProps('dataset.split')}
        />
        <Autocomplete
          label="Input"
          required
          description={template}
          data={columns}
          {...form.getInputProps('dataset.input')}
        />
        <Autocomplete
          label="Expected answer"
          description={template}
          data={columns}
          {...form.getInputProps('dataset.expected')}
        />
        <Autocomplete
          label="System prompt"
          description={template}
          data={columns}
          {...form.getInputProps('dataset.system')}
        />
      </SimpleGrid>
      <Scorers />
    </Stack>
  );
}

function Scorers() {
  const form = useNewEvaluation();
  return (
    <Group align="flex-end" gap="lg">
      <Checkbox.Group
        label="Scorers"
        description="A row passes when all of them pass"
        {...form.getInputProps('scorers.types')}
      >
        <Group gap="md" mt={6}>
          {SCORER_TYPES.map((type) => (
            <Checkbox key={type} size="xs" value={type} label={type} />
          ))}
        </Group>
      </Checkbox.Group>
      <Checkbox
        size="xs"
        label="Ignore case"
        {...form.getInputProps('scorers.ignore_case', { type: 'checkbox' })}
      />
      <NumberInput
        size="xs"
        w={140}
        label="Tolerance"
        description="for numeric"
        placeholder="0"
        min={0}
        {...form.getInputProps('scorers.tolerance')}
      />
    </Group>
  );
}
