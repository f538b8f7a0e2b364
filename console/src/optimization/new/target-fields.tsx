/** What is improved: a capability, its agent, and the models. */
import { MultiSelect, SegmentedControl, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import {
  CapabilityInput,
  ModelInput,
  useNewestCapability,
  useNewestVersion,
} from '../../components/registry-inputs.tsx';
import { KIND_LABELS, TARGET_KINDS } from '../states.ts';
import { COMPONENTS, useNewJob } from './values.ts';

export function TargetFields() {
  const form = useNewJob();
  const { target_kind, capability_ref } = form.values;
  const newest = useNewestCapability(capability_ref.name);
  useNewestVersion(capability_ref.version, newest, (version) =>
    form.setFieldValue('capability_ref.version', version),
  );
  const isSingleCall = target_kind === 'capability_agent';
  return (
    <Stack gap="sm">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="Target"
          transitionDuration={0}
          data={TARGET_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))}
          {...form.getInputProps('target_kind')}
        />
      </div>
      <Text size="xs" c="dimmed">
        {isSingleCall
          ? 'Improves the instructions of an agent. Each row of a dataset is one call of the model.'
          : 'Improves prompts and skills of a capability. An agent works on tasks or rows, each in its own sandbox.'}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <CapabilityInput label="Capability" required {...form.getInputProps('capability_ref.name')} />
        <TextInput label="Capability version" required {...form.getInputProps('capability_ref.version')} />
        <TextInput label="Agent" placeholder="the only one" {...form.getInputProps('agent_name')} />
        {!isSingleCall && (
          <MultiSelect
            label="Components"
            placeholder={form.values.components.length > 0 ? '' : 'all that it has'}
            data={[...COMPONENTS]}
            {...form.getInputProps('components')}
          />
        )}
        <ModelInput label="Model" required {...form.getInputProps('model')} />
        <ModelInput
          label="Reflection model"
          placeholder="the same"
          {...form.getInputProps('config.reflection_lm')}
        />
      </SimpleGrid>
      <Textarea
        label="Objective"
        description="What to improve, in words; the reflection model reads it"
        autosize
        minRows={1}
        maxRows={6}
        {...form.getInputProps('objective')}
      />
    </Stack>
  );
}
