/** The attacks to run, from the catalogue. */
import type { AirtAttack } from '@drydock/sdk';
import { Anchor, Box, Button, Checkbox, Group, Input, SimpleGrid, Stack, Text } from '@mantine/core';
import { toWords } from '../states.ts';
import { useNewAssessment } from './values.ts';

const GROUPS: readonly (readonly [AirtAttack['turns'], string])[] = [
  ['single', 'Single turn'],
  ['multi', 'Multiple turns'],
  ['indirect', 'Indirect: through files, tools and pages'],
  ['system', 'On the system itself'],
];

export function AttackFields({ attacks }: { readonly attacks: readonly AirtAttack[] }) {
  const form = useNewAssessment();
  const { attacks: chosen, kind } = form.values;
  const { error } = form.getInputProps('attacks') as { error?: string };
  const fits = ({ targets }: AirtAttack) => targets.includes(kind);
  const choose = (names: readonly string[]) => {
    form.setFieldValue('attacks', [...names]);
    form.clearFieldError('attacks');
  };
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return (
    <Stack gap="md">
      {GROUPS.map(([turns, label]) => {
        const group = attacks.filter((attack) => attack.turns === turns);
        const usable = group.filter(fits).map(({ name }) => name);
        if (group.length === 0) return null;
        return (
          <Box key={turns} component="fieldset" p={0} m={0} style={{ border: 0, minWidth: 0 }}>
            <Text component="legend" size="xs" fw={600} c="dimmed" mb={6}>
              {label}
            </Text>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" verticalSpacing={8}>
              {group.map((attack) => (
                <AttackOption
                  key={attack.name}
                  attack={attack}
                  isFitting={fits(attack)}
                  isChosen={chosen.includes(attack.name)}
                  onToggle={() => toggle(attack.name)}
                />
              ))}
            </SimpleGrid>
            {usable.length > 1 && (
              <Button
                mt={6}
                size="compact-xs"
                variant="default"
                aria-label={`Choose all ${usable.length}: ${label}`}
                onClick={() => choose([...new Set([...chosen, ...usable])])}
              >
                Choose all {usable.length}
              </Button>
            )}
          </Box>
        );
      })}
      <Group gap="sm">
        <Text size="xs" c="dimmed" role="status">
          {chosen.length} chosen
        </Text>
        {chosen.length > 0 && (
          <Button size="compact-xs" variant="default" onClick={() => choose([])}>
            Choose none
          </Button>
        )}
      </Group>
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}

interface AttackOptionProps {
  readonly attack: AirtAttack;
  /** Whether it can be run on targets of the chosen kind. */
  readonly isFitting: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function AttackOption({ attack, isFitting, isChosen, onToggle }: AttackOptionProps) {
  const { name, summary, paper, targets } = attack;
  return (
    <div>
      <Checkbox
        size="xs"
        label={toWords(name)}
        description={isFitting ? summary : `${summary} Only for targets of the kind ${targets.join(', ')}.`}
        checked={isChosen}
        // One that was chosen for another kind of target can still be removed.
        disabled={!isFitting && !isChosen}
        onChange={onToggle}
        styles={{ label: { fontWeight: 500 }, description: { fontSize: 12 } }}
      />
      {paper && (
        <Anchor
          href={paper.url}
          target="_blank"
          rel="noreferrer"
          size="xs"
          ml={28}
          display="inline-block"
          underline="always"
        >
          {paper.title}
        </Anchor>
      )}
    </div>
  );
}
