/** Switches between organizations, workspaces and projects. */
import { Button, Menu, ScrollArea } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { projectsQuery, useProject, useWhere } from './scope.ts';

export function ScopeSwitcher() {
  const where = useWhere();
  const { org, workspace } = where;
  const project = useProject();
  const navigate = useNavigate();
  const organizations = useQuery({
    queryKey: ['organizations'],
    queryFn: async ({ signal }) => drydock.organizations.list({ signal }),
  });
  const workspaces = useQuery({
    queryKey: ['workspaces', org],
    queryFn: async ({ signal }) => drydock.workspaces.list({ org }, { signal }),
  });
  const projects = useQuery(projectsQuery(where));

  const goTo = async (nextOrg: string, nextWorkspace?: string) => {
    const found =
      nextWorkspace ?? (await drydock.workspaces.list({ org: nextOrg })).find((one) => one.is_default)?.key;
    await navigate({
      to: '/o/$org/w/$workspace',
      params: { org: nextOrg, workspace: found ?? 'main' },
      search: { project: undefined },
    });
  };
  const chooseProject = (key: string | undefined) =>
    navigate({ to: '.', search: (search) => ({ ...search, project: key }) });

  return (
    <>
      <Switch
        label="Organization"
        current={org}
        options={organizations.data ?? []}
        onChoose={(key) => void goTo(key)}
      />
      <Switch
        label="Workspace"
        current={workspace}
        options={workspaces.data ?? []}
        onChoose={(key) => void goTo(org, key)}
      />
      <Switch
        label="Project"
        current={project}
        anyLabel="All projects"
        options={projects.data ?? []}
        onChoose={(key) => void chooseProject(key)}
        onClear={() => void chooseProject(undefined)}
      />
    </>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly current: string | undefined;
  readonly options: readonly { readonly key: string; readonly name: string }[];
  readonly onChoose: (key: string) => void;
  readonly anyLabel?: string;
  readonly onClear?: () => void;
}

function Switch({ label, current, options, onChoose, anyLabel, onClear }: SwitchProps) {
  const name = options.find(({ key }) => key === current)?.name ?? current ?? anyLabel;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="inherit"
          size="compact-sm"
          maw={180}
          visibleFrom={label === 'Workspace' ? undefined : 'md'}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`${label}: ${name}`}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        <ScrollArea.Autosize mah={360}>
          {onClear && (
            <Menu.Item onClick={onClear} leftSection={<Mark isOn={current === undefined} />}>
              {anyLabel}
            </Menu.Item>
          )}
          {options.map(({ key, name: text }) => (
            <Menu.Item key={key} onClick={() => onChoose(key)} leftSection={<Mark isOn={key === current} />}>
              {text}
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}

const Mark = ({ isOn }: { readonly isOn: boolean }) => (
  <IconCheck size={14} style={{ visibility: isOn ? 'visible' : 'hidden' }} />
);
