/** The form that starts an evaluation. It keeps what was typed when the server rejects it or the sign-in expires. */
import {
  Alert,
  Box,
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { FormSection, useSubmit } from '../components/create-form.tsx';
import { AnchorLink } from '../components/links.tsx';
import { CapabilityInput, ModelInput } from '../components/registry-inputs.tsx';
import { RUNNING_KEY } from '../frame/running-jobs.tsx';
import { projectsQuery, useProjectId, useWhere } from '../frame/scope.ts';
import { EstimateCard } from './new/estimate-card.tsx';
import { SourceFields } from './new/source-fields.tsx';
import {
  INITIAL_VALUES,
  NewEvaluationFormProvider,
  type NewEvaluationValues,
  placeErrors,
  toRequest,
  useNewEvaluation,
  useNewEvaluationForm,
} from './new/values.ts';
import { LISTS_KEY } from './queries.ts';

const route = getRouteApi('/o/$org/w/$workspace/evaluations/new');

export function NewEvaluationPage() {
  const where = useWhere();
  const { model = INITIAL_VALUES.model, task_set } = route.useSearch();
  const form = useNewEvaluationForm({
    initialValues: {
      ...INITIAL_VALUES,
      model,
      ...(task_set !== undefined && { source: 'task_set', task_set }),
    },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name.' : null) },
  });
  const request = toRequest(form.values);
  const { submit, failure } = useSubmit({
    create: useCreateEvaluation(),
    placeErrors,
    setErrors: form.setErrors,
  });
  return (
    <NewEvaluationFormProvider form={form}>
      <Box p="md" maw={1180} component="form" onSubmit={form.onSubmit(submit)} noValidate>
        <Header>
          <CopyAs
            method="POST"
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/evaluation`}
            body={request}
            code={`await drydock.evaluations.create(${JSON.stringify(where)}, ${JSON.stringify(request, null, 2)})`}
          />
          <Button type="submit" size="xs" loading={form.submitting}>
            Start the evaluation
          </Button>
        </Header>
        {failure !== undefined && (
          <Alert color="red" variant="outline" role="alert" mb="md" title="The evaluation was not started">
            <span className="user-text">{failure}</span>
          </Alert>
        )}
        <Group align="flex-start" gap="md">
          <Stack gap="md" flex="1 1 520px" miw={0}>
            <FormSection title="Name and model">
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
                <TextInput label="Name" required autoFocus {...form.getInputProps('name')} />
                <ModelInput label="Model" required {...form.getInputProps('model')} />
              </SimpleGrid>
            </FormSection>
            <FormSection title="Tasks or dataset">
              <SourceFields />
            </FormSection>
            <FormSection title="Agent">
              <AgentFields />
            </FormSection>
            <FormSection title="Run settings">
              <RunFields />
            </FormSection>
            <FormSection title="Tags and project">
              <TagFields />
            </FormSection>
          </Stack>
          <EstimateCard request={request} />
        </Group>
      </Box>
    </NewEvaluationFormProvider>
  );
}

/** Starts the evaluation and opens its page. */
function useCreateEvaluation() {
  const where = useWhere();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (values: NewEvaluationValues) => {
    const { id } = await drydock.evaluations.create(where, toRequest(values));
    void queries.invalidateQueries({ queryKey: [LISTS_KEY] });
    void queries.invalidateQueries({ queryKey: [RUNNING_KEY] });
    await navigate({
      to: '/o/$org/w/$workspace/evaluations/$evaluationId',
      params: { ...where, evaluationId: id },
    });
  };
}

function Header({ children }: { readonly children: ReactNode }) {
  const where = useWhere();
  return (
    <Box mb="md">
      <AnchorLink to="/o/$org/w/$workspace/evaluations" params={where} size="xs">
        Evaluations
      </AnchorLink>
      <Group justify="space-between">
        <Title order={1} size="h3">
          New evaluation
        </Title>
        <Group gap="xs">{children}</Group>
      </Group>
    </Box>
  );
}

/** Uses the project that is chosen in the header, until the user chooses another one in the form. */
function useFrameProject(): void {
  const { projectId } = useProjectId();
  const { setFieldValue, isTouched } = useNewEvaluation();
  useEffect(() => {
    if (projectId && !isTouched('project_id')) setFieldValue('project_id', projectId);
  }, [projectId, setFieldValue, isTouched]);
}

/** If no capability is chosen, the built-in agent works: with tools for tasks, as a single call for rows of a dataset. */
function AgentFields() {
  const form = useNewEvaluation();
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {form.values.source === 'dataset'
          ? 'By default, each row is a single call of the model. The agent “basic” gives the model a sandbox and tools.'
          : 'By default, the built-in agent “basic” runs commands and edits files in a sandbox.'}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <CapabilityInput label="Capability" placeholder="none" {...form.getInputProps('capability.name')} />
        <TextInput
          label="Version"
          placeholder="the newest"
          disabled={form.values.capability.name === ''}
          {...form.getInputProps('capability.version')}
        />
        <TextInput label="Agent" placeholder="the default" {...form.getInputProps('agent')} />
      </SimpleGrid>
    </Stack>
  );
}

function RunFields() {
  const form = useNewEvaluation();
  const number = (
    path: string,
    label: string,
    more: { min?: number; max?: number; placeholder?: string } = {},
  ) => <NumberInput label={label} min={0} {...more} {...form.getInputProps(path)} />;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {number('repetitions', 'Repetitions', { min: 1, max: 16 })}
      {number('concurrency', 'Concurrency', { min: 1, max: 100 })}
      {number('max_retries', 'Retries', { max: 5 })}
      {number('seed', 'Seed', { placeholder: 'none' })}
      {number('limits.max_turns', 'Max. turns', { min: 1 })}
      {number('limits.task_timeout_seconds', 'Time limit (seconds)', { placeholder: "the task's" })}
      {number('limits.max_cost_usd', 'Sample cost limit ($)', { placeholder: 'no limit' })}
      {number('budget_usd', 'Budget ($)', { placeholder: 'no limit' })}
    </SimpleGrid>
  );
}

function TagFields() {
  const form = useNewEvaluation();
  useFrameProject();
  const { data: projects = [] } = useQuery(projectsQuery(useWhere()));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TagsInput
        label="Tags"
        placeholder="Type and press Enter"
        acceptValueOnBlur
        {...form.getInputProps('tags')}
      />
      <Select
        label="Project"
        placeholder="No project"
        clearable
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('project_id')}
        value={form.values.project_id || null}
        onChange={(id) => form.setFieldValue('project_id', id ?? '')}
      />
    </SimpleGrid>
  );
}
