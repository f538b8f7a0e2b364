/** What is attacked: a model, or in JSON an HTTP service or an agent. */
import { Autocomplete, JsonInput, SegmentedControl, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ModelInput } from '../../components/registry-inputs.tsx';
import { modelsQuery } from '../../evaluations/queries.ts';
import { useWhere } from '../../frame/scope.ts';
import { KIND_LABELS, type TargetKind } from '../states.ts';
import { isSimulated, TARGET_EXAMPLES, useNewAssessment } from './values.ts';

const KINDS = ['model', 'http', 'agent'] as const satisfies readonly TargetKind[];

const HINTS: Readonly<Record<TargetKind, string>> = {
  model:
    'Prompts are sent to a model of the gateway. sim/guarded is a simulated target with known weaknesses.',
  http: 'Prompts are sent to a service of your own. Write {{prompt}} where the prompt belongs, and {{secret:NAME}} for credentials.',
  agent:
    'An agent with tools works in a sandbox, and is judged also by what it did: commands, files, network.',
};

const GUARDED = 'sim/guarded';

/** Lists models; the simulated target comes first, since every attack can be demonstrated on it. */
function TargetModelInput() {
  const form = useNewAssessment();
  const { org } = useWhere();
  const { data } = useQuery(modelsQuery(org));
  const models = data?.data ?? [];
  const others = models.filter(({ id }) => id !== GUARDED);
  return (
    <Autocomplete
      label="Model"
      required
      data={[
        { group: 'Made to be attacked', items: [GUARDED] },
        { group: 'Your providers', items: others.filter(({ simulated }) => !simulated).map(({ id }) => id) },
        {
          group: 'Simulated (no API key needed)',
          items: others.filter(({ simulated }) => simulated).map(({ id }) => id),
        },
      ].filter(({ items }) => items.length > 0)}
      {...form.getInputProps('target_model')}
    />
  );
}

export function TargetFields() {
  const form = useNewAssessment();
  const { kind } = form.values;
  const chooseKind = (next: string) => {
    const chosen = KINDS.find((one) => one === next) ?? 'model';
    const examples = Object.values(TARGET_EXAMPLES);
    const isUntouched = form.values.target_json === '' || examples.includes(form.values.target_json);
    form.setFieldValue('kind', chosen);
    if (chosen !== 'model' && isUntouched) form.setFieldValue('target_json', TARGET_EXAMPLES[chosen]);
  };
  return (
    <Stack gap="sm">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="Kind of target"
          transitionDuration={0}
          data={KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))}
          value={kind}
          onChange={chooseKind}
        />
      </div>
      <Text size="xs" c="dimmed">
        {HINTS[kind]}
      </Text>
      {kind === 'model' ? (
        <>
          <TargetModelInput />
          <Textarea
            label="System prompt"
            placeholder="none"
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps('system_prompt')}
          />
        </>
      ) : (
        <JsonInput
          label="Configuration (JSON)"
          required
          autosize
          minRows={5}
          maxRows={16}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
          {...form.getInputProps('target_json')}
        />
      )}
    </Stack>
  );
}

/** The models that attack and judge. Only simulated targets have defaults. */
export function ModelFields() {
  const form = useNewAssessment();
  const hasDefaults = isSimulated(form.values);
  return (
    <Stack gap="sm">
      {!hasDefaults && (
        <Text size="xs" c="dimmed">
          Only simulated targets have a default attacker and judge. The attacker is needed by attacks that
          write their prompts with a model.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <ModelInput
          label="Attacker model"
          placeholder={hasDefaults ? 'sim/attacker' : 'Choose a model'}
          {...form.getInputProps('attacker_model')}
        />
        <ModelInput
          label="Judge model"
          placeholder={hasDefaults ? 'sim/judge' : 'Choose a model'}
          {...form.getInputProps('judge_model')}
        />
      </SimpleGrid>
    </Stack>
  );
}
