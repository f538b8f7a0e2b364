/** The buttons of the triage queue, each with its key. They act on the findings that are checked, or else on the selected one. */
import { Box, Button, Group, Kbd, Menu, Text } from '@mantine/core';
import { formatCountOf } from '../../components/format.ts';
import { SeverityBadge } from '../figures.tsx';
import styles from '../red-team.module.css';
import { FINDING_LABELS, SEVERITIES, type Severity } from '../states.ts';
import { STATUS_KEYS, type TriageActions } from './triage.ts';

interface TriageBarProps extends TriageActions {
  readonly checkedCount: number;
  /** Whether there is a finding to act on. */
  readonly isEnabled: boolean;
  readonly isSeverityOpen: boolean;
  readonly onSeverityOpenChange: (isOpen: boolean) => void;
  readonly onChooseSeverity: (severity: Severity) => void;
  readonly onCheckAll: () => void;
  readonly onUncheckAll: () => void;
}

const Key = ({ name }: { readonly name: string }) => <Kbd size="xs">{name}</Kbd>;

const button = { size: 'compact-xs', variant: 'default' } as const;

export function TriageBar(props: TriageBarProps) {
  const { checkedCount, isEnabled, onStatus, onNotes, onCheck, onCheckAll, onUncheckAll } = props;
  return (
    <Box role="toolbar" aria-label="Triage" className={styles['triage']}>
      <Group gap={6}>
        {STATUS_KEYS.map(([key, status]) => (
          <Button
            key={key}
            {...button}
            disabled={!isEnabled}
            rightSection={<Key name={key} />}
            onClick={() => onStatus(status)}
          >
            {FINDING_LABELS[status]}
          </Button>
        ))}
        <SeverityMenu {...props} />
        <Button {...button} disabled={!isEnabled} rightSection={<Key name="n" />} onClick={onNotes}>
          Notes
        </Button>
        <Button {...button} disabled={!isEnabled} rightSection={<Key name="x" />} onClick={onCheck}>
          Check
        </Button>
        <Button {...button} onClick={checkedCount > 0 ? onUncheckAll : onCheckAll}>
          {checkedCount > 0 ? 'Uncheck all' : 'Check all'}
        </Button>
      </Group>
      <Text size="xs" c="dimmed" role="status" mt={4}>
        {checkedCount > 0
          ? `${formatCountOf(checkedCount, 'finding')} checked: buttons and keys change all of them at once.`
          : 'Keys work in the list: ↑ ↓ move, Enter opens, a letter decides and goes on to the next finding.'}
      </Text>
    </Box>
  );
}

function SeverityMenu({ isEnabled, isSeverityOpen, onSeverityOpenChange, onChooseSeverity }: TriageBarProps) {
  return (
    <Menu opened={isSeverityOpen} onChange={onSeverityOpenChange} position="bottom-start" returnFocus>
      <Menu.Target>
        <Button {...button} disabled={!isEnabled} rightSection={<Key name="s" />}>
          Severity
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {SEVERITIES.map((severity) => (
          <Menu.Item key={severity} onClick={() => onChooseSeverity(severity)}>
            <SeverityBadge severity={severity} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
