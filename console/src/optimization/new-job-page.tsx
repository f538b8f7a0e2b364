/** The form that creates an optimization job. It keeps what was typed when the server rejects it or the sign-in expires. */
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
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { FormSection, useSubmit } from '../components/create-form.tsx';
import { AnchorLink } from '../components/links.tsx';
import { projectsQuery, useProject, useWhere } from '../frame/scope.ts';
import { useReadJobAgain } from './live.tsx';
import { EstimateCard } from './new/estimate-card.tsx';
import { ExampleFields, RewardFields } from './new/example-fields.tsx';
import { TargetFields } from './new/target-fields.tsx';
import {
  INITIAL_VALUES,
  NewJobFormProvider,
  type NewJobValues,
  placeErrors,
  STRATEGIES,
  toRequest,
  useNewJob,
  useNewJobForm,
} from './new/values.ts';

export function NewJobPage() {
  const where = useWhere();
  const project = useProject() ?? '';
  const form = useNewJobForm({ initialValues: { ...INITIAL_VALUES, project } });
  const request = toRequest(form.values);
  const { submit, failure } = useSubmit({ create: useCreateJob(), placeErrors, setErrors: form.setErrors });
  return (
    <NewJobFormProvider form={form}>
      <Box p="md" maw={1180} component="form" onSubmit={form.onSubmit(submit)} noValidate>
        <Header>
          <CopyAs
            method="POST"
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/optimization/jobs`}
            body={request}
            code={`await drydock.optimization.create(${JSON.stringify(where)}, ${JSON.stringify(request, null, 2)})`}
          />
          <Button type="submit" size="xs" loading={form.submitting}>
            Start the job
          </Button>
        </Header>
        {failure !== undefined && (
          <Alert color="red" variant="outline" role="alert" mb="md" title="The job was not started">
            <span className="user-text">{failure}</span>
          </Alert>
        )}
        <Group align="flex-start" gap="md">
          <Stack gap="md" flex="1 1 520px" miw={0}>
            <FormSection title="What to improve">
              <TargetFields />
            </FormSection>
            <FormSection title="Examples">
              <ExampleFields />
            </FormSection>
            <FormSection title="Reward">
              <RewardFields />
            </FormSection>
            <FormSection title="Budget and search">
              <BudgetFields />
            </FormSection>
            <FormSection title="Name, tags and project">
              <NameFields />
            </FormSection>
          </Stack>
          <EstimateCard request={request} />
        </Group>
      </Box>
    </NewJobFormProvider>
  );
}

/** Creates the job and opens its page. */
function useCreateJob() {
  const where = useWhere();
  const navigate = useNavigate();
  const readAgain = useReadJobAgain();
  return async (values: NewJobValues) => {
    const { id } = await drydock.optimization.create(where, toRequest(values));
    readAgain(id);
    await navigate({ to: '/o/$org/w/$workspace/optimization/$jobId', params: { ...where, jobId: id } });
  };
}

function Header({ children }: { readonly children: ReactNode }) {
  const where = useWhere();
  return (
    <Box mb="md">
      <AnchorLink to="/o/$org/w/$workspace/optimization" params={where} size="xs">
        Optimization
      </AnchorLink>
      <Group justify="space-between">
        <Title order={1} size="h3">
          New optimization job
        </Title>
        <Group gap="xs">{children}</Group>
      </Group>
    </Box>
  );
}

function BudgetFields() {
  const form = useNewJob();
  const number = (
    path: string,
    label: string,
    more: { min?: number; max?: number; step?: number; placeholder?: string } = {},
  ) => <NumberInput label={label} min={0} {...more} {...form.getInputProps(path)} />;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {number('config.max_metric_calls', 'Max. metric calls', { min: 1, placeholder: 'automatic' })}
      {number('config.max_trials', 'Max. iterations', { min: 1, placeholder: 'no limit' })}
      {number('config.max_runtime_sec', 'Max. time (seconds)', { min: 1, placeholder: 'no limit' })}
      {number('config.seed', 'Seed')}
      {number('config.reflection_minibatch_size', 'Minibatch', { min: 1, max: 1_000 })}
      {number('config.concurrency', 'Proposals at once', { min: 1, max: 16 })}
      {number('config.max_merge_invocations', 'Merges', { max: 1_000 })}
      {number('holdout_fraction', 'Holdout fraction', { max: 0.5, step: 0.1, placeholder: 'automatic' })}
      <Select
        label="Selection"
        allowDeselect={false}
        data={[...STRATEGIES]}
        {...form.getInputProps('config.candidate_selection_strategy')}
      />
    </SimpleGrid>
  );
}

function NameFields() {
  const form = useNewJob();
  const { data: projects = [] } = useQuery(projectsQuery(useWhere()));
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <TextInput label="Name" placeholder="the capability's" {...form.getInputProps('name')} />
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
        data={projects.map(({ key, name }) => ({ value: key, label: name }))}
        {...form.getInputProps('project')}
        value={form.values.project || null}
        onChange={(key) => form.setFieldValue('project', key ?? '')}
      />
    </SimpleGrid>
  );
}
