/** The model, and the agent that uses it. */
import { Autocomplete, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';
import { useWhere } from '../../frame/scope.ts';
import { modelsQuery } from '../queries.ts';
import { useNewEvaluation } from './values.ts';

const MAX_SUGGESTIONS = 20;

export function ModelField() {
  const form = useNewEvaluation();
  const { org } = useWhere();
  const { data } = useQuery(modelsQuery(org));
  const models = data?.data ?? [];
  const ids = (isSimulated: boolean) =>
    models.filter(({ simulated }) => simulated === isSimulated).map(({ id }) => id);
  return (
    <Autocomplete
      label="Model"
      required
      data={[
        { group: 'Your providers', items: ids(false) },
        { group: 'Simulated (no API key needed)', items: ids(true) },
      ].filter(({ items }) => items.length > 0)}
      {...form.getInputProps('model')}
    />
  );
}

/** Without a capability the built-in agent works: with tools for tasks, as a single call for rows of a dataset. */
export function AgentFields() {
  const form = useNewEvaluation();
  const { org } = useWhere();
  const [search] = useDebouncedValue(form.values.capability.name, 200);
  const { data } = useQuery({
    queryKey: ['capability-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.capabilities.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
  const ofOrg = `${org}/`;
  const names = (data?.capabilities ?? []).map(({ name }) =>
    name.startsWith(ofOrg) ? name.slice(ofOrg.length) : name,
  );
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {form.values.source === 'dataset'
          ? 'By default, each row is a single call of the model. The agent “basic” gives the model a sandbox and tools.'
          : 'By default, the built-in agent “basic” runs commands and edits files in a sandbox.'}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Autocomplete
          label="Capability"
          placeholder="none"
          data={names}
          {...form.getInputProps('capability.name')}
        />
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
