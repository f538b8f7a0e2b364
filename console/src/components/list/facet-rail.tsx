/** The filters of a list: values with checkboxes and, when known, the number of rows with each value. */
import { Box, Checkbox, Group, Stack, Text } from '@mantine/core';
import { formatCount } from '../format.ts';

export interface Facet {
  readonly key: string;
  readonly label: string;
  readonly values: readonly {
    readonly value: string;
    readonly label?: string;
    readonly count?: number | undefined;
  }[];
}

interface FacetRailProps {
  readonly facets: readonly Facet[];
  readonly selected: Readonly<Record<string, readonly string[] | undefined>>;
  readonly onChange: (key: string, values: readonly string[]) => void;
}

export function FacetRail({ facets, selected, onChange }: FacetRailProps) {
  return (
    <Stack component="nav" gap="md" w={200} aria-label="Filters" style={{ flexShrink: 0 }}>
      {facets
        .filter(({ values }) => values.length > 0)
        .map(({ key, label, values }) => (
          <Box key={key} component="fieldset" p={0} m={0} style={{ border: 0, minWidth: 0 }}>
            <Text component="legend" size="xs" fw={600} c="dimmed" mb={4}>
              {label}
            </Text>
            <Stack gap={4}>
              {values.map(({ value, label: text = value, count }) => {
                const chosen = selected[key] ?? [];
                const isChosen = chosen.includes(value);
                return (
                  <Group key={value} justify="space-between" wrap="nowrap" gap="xs">
                    <Checkbox
                      size="xs"
                      label={text === '' ? '(none)' : text}
                      checked={isChosen}
                      onChange={() =>
                        onChange(key, isChosen ? chosen.filter((one) => one !== value) : [...chosen, value])
                      }
                      styles={{ label: { overflowWrap: 'anywhere' } }}
                    />
                    {count !== undefined && (
                      <Text size="xs" c="dimmed">
                        {formatCount(count)}
                      </Text>
                    )}
                  </Group>
                );
              })}
            </Stack>
          </Box>
        ))}
    </Stack>
  );
}
