/** The key facts of a runtime beside the list, with the buttons that operate it. */
import type { Runtime } from '@drydock/sdk';
import { Group, Stack } from '@mantine/core';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatTime } from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { useWhere } from '../frame/scope.ts';
import { RuntimeActions } from './actions.tsx';
import { describeTimeLeft, formatCredits, formatSeconds, Owner, StateBadge } from './figures.tsx';

interface RuntimePanelProps {
  readonly runtime: Runtime;
  readonly onClose: () => void;
}

export function RuntimePanel({ runtime, onClose }: RuntimePanelProps) {
  const where = useWhere();
  const { key, name, status } = runtime;
  const params = { ...where, runtime: key };
  return (
    <SidePanel title={name} onClose={onClose}>
      <Stack gap="sm">
        <Group>
          <StateBadge state={status} />
        </Group>
        <RuntimeActions key={key} runtime={runtime} onDeleted={async () => onClose()} />
        <FactList facts={toFacts(runtime)} />
        <Group gap="xs">
          <ButtonLink to="/o/$org/w/$workspace/runtimes/$runtime" params={params} size="xs">
            Open the runtime
          </ButtonLink>
          <ButtonLink
            to="/o/$org/w/$workspace/runtimes/$runtime"
            params={params}
            search={{ tab: 'terminal' }}
            size="xs"
            variant="default"
          >
            Terminal
          </ButtonLink>
        </Group>
      </Stack>
    </SidePanel>
  );
}

const toFacts = (runtime: Runtime): Fact[] => {
  const { key, description, project_name, created_at, instance } = runtime;
  return [
    ['Key', key],
    ['Description', description],
    ['Project', project_name],
    ['Owner', <Owner key="owner" runtime={runtime} />],
    ['Created', formatTime(created_at)],
    ['Provider', instance?.provider],
    ['Started', instance && formatTime(instance.created_at)],
    ['Ran for', instance && formatSeconds(instance.total_runtime_seconds)],
    ['Time left', describeTimeLeft(instance)],
    ['Cost', instance && formatCredits(instance.billed_credits + instance.running_credits)],
  ];
};
