/** The form that creates and starts an assessment. It keeps what was typed when the server rejects it or the sign-in expires. */
import type { AirtAttack } from '@drydock/sdk';
import {
  Alert,
  Box,
  Button,
  Group,
  Loader,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { FormSection, useSubmit } from '../components/create-form.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { AnchorLink } from '../components/links.tsx';
import { projectsQuery, useProject, useWhere } from '../frame/scope.ts';
import { useReadAssessmentAgain } from './live.tsx';
import { AttackFields } from './new/attack-fields.tsx';
import { EstimateCard } from './new/estimate-card.tsx';
import { GoalFields } from './new/goal-fields.tsx';
import { ModelFields, TargetFields } from './new/target-fields.tsx';
import { TransformFields } from './new/transform-fields.tsx';
import {
  INITIAL_VALUES,
  NewAssessmentFormProvider,
  type NewAssessmentValues,
  placeErrors,
  toRequest,
  useNewAssessment,
  useNewAssessmentForm,
  validate,
} from './new/values.ts';
import { attacksQuery, categoriesQuery, transformsQuery } from './queries.ts';

export function NewAssessmentPage() {
  const where = useWhere();
  const attacks = useQuery(attacksQuery(where));
  const categories = useQuery(categoriesQuery(where));
  const transforms = useQuery(transformsQuery(where));
  const failed = [attacks, categories, transforms].find(({ error }) => error !== null);
  const form = useNewAssessmentForm({ initialValues: INITIAL_VALUES, validate });
  const request = toRequest(form.values, attacks.data ?? []);
  const { submit, failure } = useSubmit({
    create: useCreate(attacks.data ?? []),
    placeErrors: (errors) => placeErrors(errors, form.values),
    setErrors: form.setErrors,
  });
  const isReady = Object.entries(validate(form.values)).every(
    ([field, error]) => error === null || field === 'name' || field === 'project_id',
  );
  if (failed) return <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!attacks.data || !categories.data || !transforms.data)
    return <Loader size="sm" m="md" aria-label="Loading" />;
  return (
    <NewAssessmentFormProvider form={form}>
      <Box p="md" maw={1180} component="form" onSubmit={form.onSubmit(submit)} noValidate>
        <Header>
          <CopyAs
            method="POST"
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/airt/assessments`}
            query={{ project_id: form.values.project_id }}
            body={request}
            code={`await drydock.assessments.create(${JSON.stringify(where)}, ${JSON.stringify(request, null, 2)}, ${JSON.stringify({ project_id: form.values.project_id })})`}
          />
          <Button type="submit" size="xs" loading={form.submitting}>
            Start the assessment
          </Button>
        </Header>
        {failure !== undefined && (
          <Alert color="red" variant="outline" role="alert" mb="md" title="The assessment was not started">
            <span className="user-text">{failure}</span>
          </Alert>
        )}
        <Group align="flex-start" gap="md">
          <Stack gap="md" flex="1 1 520px" miw={0}>
            <FormSection title="Name and project">
              <NameFields />
            </FormSection>
            <FormSection title="Target">
              <TargetFields />
            </FormSection>
            <FormSection title="Attacks">
              <AttackFields attacks={attacks.data} />
            </FormSection>
            <FormSection title="Goals">
              <GoalFields categories={categories.data} />
            </FormSection>
            <FormSection title="Transforms">
              <TransformFields transforms={transforms.data} />
            </FormSection>
            <FormSection title="Attacker and judge">
              <ModelFields />
            </FormSection>
            <FormSection title="Size and budget">
              <BudgetFields />
            </FormSection>
          </Stack>
          <EstimateCard request={request} isReady={isReady} />
        </Group>
      </Box>
    </NewAssessmentFormProvider>
  );
}

/** Creates the assessment, starts it and opens its page. */
function useCreate(attacks: readonly AirtAttack[]) {
  const where = useWhere();
  const navigate = useNavigate();
  const readAgain = useReadAssessmentAgain();
  return async (values: NewAssessmentValues) => {
    const request = toRequest(values, attacks);
    // The estimate makes the checks of the start, so that nothing is created that cannot be started.
    await drydock.assessments.estimate(where, request);
    const { id } = await drydock.assessments.create(where, request, { project_id: values.project_id });
    await drydock.assessments.start({ ...where, assessment_id: id });
    readAgain(id);
    await navigate({
      to: '/o/$org/w/$workspace/red-team/$assessmentId',
      params: { ...where, assessmentId: id },
    });
  };
}

function Header({ children }: { readonly children: ReactNode }) {
  const where = useWhere();
  return (
    <Box mb="md">
      <AnchorLink to="/o/$org/w/$workspace/red-team" params={where} size="xs">
        Red team
      </AnchorLink>
      <Group justify="space-between">
        <Title order={1} size="h3">
          New assessment
        </Title>
        <Group gap="xs">{children}</Group>
      </Group>
    </Box>
  );
}

function NameFields() {
  const form = useNewAssessment();
  const project = useProject();
  const { data: projects } = useQuery(projectsQuery(useWhere()));
  /** An assessment belongs to a project: the one that the frame shows, or the default one. */
  const suggest = useEffectEvent(() => {
    if (!projects || form.values.project_id !== '') return;
    const found = projects.find(({ key }) => key === (project ?? 'default')) ?? projects[0];
    if (found) form.setFieldValue('project_id', found.id);
  });
  useEffect(() => suggest(), [projects]);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <TextInput label="Name" required maxLength={255} {...form.getInputProps('name')} />
      <Select
        label="Project"
        required
        allowDeselect={false}
        data={(projects ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('project_id')}
        value={form.values.project_id || null}
        onChange={(id) => form.setFieldValue('project_id', id ?? '')}
      />
    </SimpleGrid>
  );
}

function BudgetFields() {
  const form = useNewAssessment();
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <NumberInput
        label="Trials"
        description="For each attack and goal"
        min={1}
        max={200}
        {...form.getInputProps('trials')}
      />
      <NumberInput
        label="Budget ($)"
        description="The run ends when it is spent"
        placeholder="no limit"
        min={0}
        {...form.getInputProps('budget_usd')}
      />
      <NumberInput
        label="Seed"
        description="The same seed gives the same trials"
        placeholder="0"
        {...form.getInputProps('seed')}
      />
    </SimpleGrid>
  );
}
