/** The form that creates a training job. It keeps what was typed when the server rejects it or the sign-in expires. */
import { Alert, Box, Button, Group, Stack, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { FormSection, useSubmit } from '../components/create-form.tsx';
import { AnchorLink } from '../components/links.tsx';
import { useProject, useWhere } from '../frame/scope.ts';
import { useReadJobAgain } from './live.tsx';
import { EstimateCard } from './new/estimate-card.tsx';
import { DataFields, ModelFields, NameFields, SettingFields } from './new/fields.tsx';
import {
  INITIAL_VALUES,
  NewTrainingFormProvider,
  type NewTrainingValues,
  placeErrors,
  toRequest,
  useNewTrainingForm,
} from './new/values.ts';

export function NewTrainingJobPage() {
  const where = useWhere();
  const project_ref = useProject() ?? '';
  const form = useNewTrainingForm({ initialValues: { ...INITIAL_VALUES, project_ref } });
  const request = toRequest(form.values);
  const { submit, failure } = useSubmit({ create: useCreateJob(), placeErrors, setErrors: form.setErrors });
  return (
    <NewTrainingFormProvider form={form}>
      <Box p="md" maw={1180} component="form" onSubmit={form.onSubmit(submit)} noValidate>
        <Box mb="md">
          <AnchorLink to="/o/$org/w/$workspace/training" params={where} size="xs">
            Training
          </AnchorLink>
          <Group justify="space-between">
            <Title order={1} size="h3">
              New training job
            </Title>
            <Group gap="xs">
              <CopyAs
                method="POST"
                path={`/api/v1/org/${where.org}/ws/${where.workspace}/training/jobs`}
                body={request}
                code={`await drydock.training.create(${JSON.stringify(where)}, ${JSON.stringify(request, null, 2)})`}
              />
              <Button type="submit" size="xs" loading={form.submitting}>
                Start the job
              </Button>
            </Group>
          </Group>
        </Box>
        {failure !== undefined && (
          <Alert color="red" variant="outline" role="alert" mb="md" title="The job was not started">
            <span className="user-text">{failure}</span>
          </Alert>
        )}
        <Group align="flex-start" gap="md">
          <Stack gap="md" flex="1 1 520px" miw={0}>
            <FormSection title="What to train">
              <ModelFields />
            </FormSection>
            <FormSection title="Data">
              <DataFields />
            </FormSection>
            <FormSection title="Settings">
              <SettingFields />
            </FormSection>
            <FormSection title="Name, tags and project">
              <NameFields />
            </FormSection>
          </Stack>
          <EstimateCard request={request} />
        </Group>
      </Box>
    </NewTrainingFormProvider>
  );
}

/** Creates the job and opens its page. */
function useCreateJob() {
  const where = useWhere();
  const navigate = useNavigate();
  const readAgain = useReadJobAgain();
  return async (values: NewTrainingValues) => {
    const { id } = await drydock.training.create(where, toRequest(values));
    readAgain(id);
    await navigate({ to: '/o/$org/w/$workspace/training/$jobId', params: { ...where, jobId: id } });
  };
}
