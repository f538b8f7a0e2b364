/** Runs samples again, by how they ended. */
import type { EvaluationResponse } from '@drydock/sdk';
import { Button, Checkbox, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { formatCount, formatCountOf } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { useAccept } from '../live.tsx';
import { ITEM_LABELS } from '../states.ts';

const STATES = ['failed', 'timed_out', 'infra_error'] as const;
type RetriedState = (typeof STATES)[number];

export function RetryMenu({ evaluation }: { readonly evaluation: EvaluationResponse }) {
  const where = useWhere();
  const { id, item_counts } = evaluation;
  const [isOpen, menu] = useDisclosure();
  const [chosen, setChosen] = useState<readonly RetriedState[]>(STATES);
  const accept = useAccept();
  const retry = useAction(
    (states: RetriedState[]) => drydock.evaluations.retry({ ...where, evaluation_id: id }, { states }),
    (changed) => {
      accept(changed);
      menu.close();
    },
  );
  const countOf = (state: RetriedState) => item_counts[state] ?? 0;
  const total = STATES.reduce((sum, state) => sum + countOf(state), 0);
  const selected = chosen.filter((state) => countOf(state) > 0);
  const count = selected.reduce((sum, state) => sum + countOf(state), 0);
  return (
    <Popover
      opened={isOpen}
      onChange={(open) => !open && menu.close()}
      position="bottom-end"
      withArrow
      trapFocus
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          disabled={total === 0}
          onClick={menu.toggle}
        >
          Retry failed
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Retry failed samples">
        <Stack gap="xs">
          <Text size="sm" fw={500}>
            Run again
          </Text>
          {STATES.map((state) => (
            <Checkbox
              key={state}
              size="xs"
              label={`${ITEM_LABELS[state]} (${formatCount(countOf(state))})`}
              disabled={countOf(state) === 0}
              checked={countOf(state) > 0 && chosen.includes(state)}
              onChange={({ currentTarget: { checked } }) =>
                setChosen(checked ? [...chosen, state] : chosen.filter((one) => one !== state))
              }
            />
          ))}
          <Button
            size="xs"
            disabled={count === 0}
            loading={retry.isPending}
            onClick={() => retry.mutate([...selected])}
          >
            Retry {formatCountOf(count, 'sample')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
