/** The form for a new runtime. */
import {
  Alert,
  Button,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../../api/client.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { useSubmit } from '../../components/create-form.tsx';
import { projectsQuery, useProject, useWhere } from '../../frame/scope.ts';
import { useReadRuntimesAgain } from '../queries.ts';
import { ListFields } from './list-fields.tsx';
import {
  INITIAL_VALUES,
  NewRuntimeFormProvider,
  type NewRuntimeValues,
  placeErrors,
  toRequest,
  useNewRuntime,
  useNewRuntimeForm,
  validate,
} from './values.ts';

export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const where = useWhere();
  const project = useProject();
  const navigate = useNavigate();
  const readAgain = useReadRuntimesAgain();
  const form = useNewRuntimeForm({
    mode: 'controlled',
    initialValues: { ...INITIAL_VALUES, project: project ?? '' },
    validate,
  });
  const create = async (values: NewRuntimeValues) => {
    const { key, name, created } = await drydock.runtimes.create(where, toRequest(values));
    if (!created)
      notifications.show({
        color: 'yellow',
        title: `${name} exists already`,
        message: `A runtime with the key “${key}” was there before, and nothing of it was changed. Choose another key to create a second one.`,
        autoClose: 15_000,
      });
    await navigate({ to: '/o/$org/w/$workspace/runtimes/$runtime', params: { ...where, runtime: key } });
    void readAgain();
  };
  const { submit, failure } = useSubmit({ create, placeErrors, setErrors: form.setErrors });
  const request = toRequest(form.values);
  return (
    <Modal opened onClose={onClose} title={<Text fw={600}>New runtime</Text>} size="xl">
      <NewRuntimeFormProvider form={form}>
        <form onSubmit={form.onSubmit(submit)} noValidate>
          <Stack gap="sm">
            {failure && (
              <Alert color="red" variant="outline" role="alert" title="The runtime was not created">
                <Text size="sm" className="user-text">
                  {failure}
                </Text>
              </Alert>
            )}
            <IdentityFields />
            <LimitFields />
            <ListFields />
            <PlatformFields />
            <EnvironmentField />
            <Group justify="flex-end" gap="xs">
              <CopyAs
                method="POST"
                path={`/api/v1/org/${where.org}/ws/${where.workspace}/runtimes`}
                body={request}
                code={`await drydock.runtimes.create(${JSON.stringify(where)}, ${JSON.stringify(request)})`}
              />
              <Button size="xs" variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button size="xs" type="submit" loading={form.submitting}>
                Create the runtime
              </Button>
            </Group>
          </Stack>
        </form>
      </NewRuntimeFormProvider>
    </Modal>
  );
}

function IdentityFields() {
  const where = useWhere();
  const form = useNewRuntime();
  const { data: projects = [] } = useQuery(projectsQuery(where));
  return (
    <>
      <Group grow align="flex-start" gap="sm">
        <TextInput label="Name" required data-autofocus maxLength={100} {...form.getInputProps('name')} />
        <TextInput
          label="Key"
          description="In addresses and requests"
          placeholder="made from the name"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('key')}
        />
      </Group>
      <Group grow align="flex-start" gap="sm">
        <TextInput label="Description" maxLength={500} {...form.getInputProps('description')} />
        <Select
          label="Project"
          placeholder="None"
          clearable
          data={projects.map(({ key, name }) => ({ value: key, label: name }))}
          {...form.getInputProps('project')}
          value={form.values.project || null}
          onChange={(value) => form.setFieldValue('project', value ?? '')}
        />
      </Group>
    </>
  );
}

function LimitFields() {
  const form = useNewRuntime();
  return (
    <Group grow align="flex-start" gap="sm">
      <NumberInput
        label="CPU cores"
        placeholder="2"
        min={1}
        max={32}
        allowDecimal={false}
        {...form.getInputProps('cpu_cores')}
      />
      <NumberInput
        label="Memory in MB"
        placeholder="2048"
        min={512}
        max={131_072}
        step={512}
        allowDecimal={false}
        {...form.getInputProps('memory_mb')}
      />
      <NumberInput
        label="Time in minutes"
        placeholder="the default"
        min={1}
        allowDecimal={false}
        {...form.getInputProps('minutes')}
      />
    </Group>
  );
}

const ACCESS = [
  { value: 'none', label: 'None' },
  { value: 'inference', label: 'Models of the gateway' },
  { value: 'full', label: 'Models, traces and sessions' },
];

function PlatformFields() {
  const form = useNewRuntime();
  return (
    <Group grow align="flex-start" gap="sm">
      <Select
        label="Platform access"
        description="What its programs reach without a key, although the network is closed"
        data={ACCESS}
        allowDeselect={false}
        {...form.getInputProps('platform_access')}
      />
      <NumberInput
        label="Spend limit in US dollars"
        description="Of the model calls of one sandbox"
        placeholder="no limit"
        min={0}
        disabled={form.values.platform_access === 'none'}
        {...form.getInputProps('spend_limit_usd')}
      />
    </Group>
  );
}

function EnvironmentField() {
  const form = useNewRuntime();
  return (
    <Textarea
      label="Environment"
      description="One NAME=value per line. Store passwords and tokens as secrets instead."
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      {...form.getInputProps('env')}
    />
  );
}
