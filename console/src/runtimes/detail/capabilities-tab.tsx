/** The capabilities that are installed in a runtime. */
import type { OneRuntime, RuntimeCapabilityBinding } from '@drydock/sdk';
import { Badge, Button, Group, Loader, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCountOf } from '../../components/format.ts';
import { CapabilityInput } from '../../components/registry-inputs.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { bindingsKey, useReadRuntimesAgain } from '../queries.ts';
import type { RuntimeTabProps } from '../runtime-page.tsx';
import { McpServers } from './mcp-servers.tsx';
import { Workers } from './workers.tsx';

export function CapabilitiesTab({ runtime, target }: RuntimeTabProps) {
  const { data, error, refetch } = useQuery({
    queryKey: bindingsKey(target),
    queryFn: async ({ signal }) => drydock.runtimeCapabilities.list(target, { signal }),
  });
  const isUsable = runtime.owned_by_me && runtime.status === 'running';
  return (
    <Stack gap="md">
      {runtime.owned_by_me && <InstallForm target={target} />}
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loader size="sm" aria-label="Loading" />}
      {data?.length === 0 && (
        <EmptyState title="No capabilities">
          A capability brings agents, tools, skills, MCP servers and workers. Install one by its name: its
          files appear at /capabilities in the sandbox.
        </EmptyState>
      )}
      {data?.map((binding) => (
        <Binding
          key={binding.id}
          binding={binding}
          target={target}
          isOwned={runtime.owned_by_me}
          isUsable={isUsable}
        />
      ))}
    </Stack>
  );
}

function InstallForm({ target }: { readonly target: OneRuntime }) {
  const [text, setText] = useState('');
  const readAgain = useReadRuntimesAgain();
  const install = useAction(
    () => {
      const [name = '', version] = text.trim().split('@');
      return drydock.runtimeCapabilities.install(target, { name, ...(version && { version }) });
    },
    async () => {
      setText('');
      await readAgain();
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') install.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <CapabilityInput
          size="xs"
          w={320}
          label="Install a capability"
          placeholder="name, or name@version"
          value={text}
          onChange={setText}
        />
        <Button size="xs" type="submit" loading={install.isPending} disabled={text.trim() === ''}>
          Install
        </Button>
      </Group>
    </form>
  );
}

interface BindingProps {
  readonly binding: RuntimeCapabilityBinding;
  readonly target: OneRuntime;
  readonly isOwned: boolean;
  /** Whether servers and workers can be used now. */
  readonly isUsable: boolean;
}

function Binding({ binding, target, isOwned, isUsable }: BindingProps) {
  const { id, capability_name, version, enabled, description, latest_version, component_counts } = binding;
  const one = { ...target, binding_id: id };
  const parts = Object.entries(component_counts).filter(([, count]) => count > 0);
  return (
    <SectionCard
      title={`${capability_name}@${version}`}
      {...(description !== null && { hint: description })}
      aside={isOwned && <BindingControls binding={binding} target={target} />}
    >
      <Stack gap="sm">
        <Group gap="xs">
          {parts.map(([kind, count]) => (
            <Badge key={kind} variant="default" tt="none" fw={500}>
              {formatCountOf(count, kind.replaceAll('_', ' ').replace(/s$/, ''))}
            </Badge>
          ))}
          {latest_version !== null && latest_version !== version && (
            <Text size="xs" c="dimmed">
              Version {latest_version} is newer.
            </Text>
          )}
          {!enabled && (
            <Text size="xs" c="dimmed">
              Switched off: the sandbox does not see it.
            </Text>
          )}
        </Group>
        {(component_counts['mcp_servers'] ?? 0) > 0 && (
          <McpServers binding={one} isUsable={isUsable && enabled} />
        )}
        {(component_counts['workers'] ?? 0) > 0 && <Workers binding={one} isUsable={isUsable && enabled} />}
      </Stack>
    </SectionCard>
  );
}

function BindingControls({ binding, target }: Pick<BindingProps, 'binding' | 'target'>) {
  const { id, capability_name, enabled, flags } = binding;
  const one = { ...target, binding_id: id };
  const [isOpen, dialog] = useDisclosure();
  const readAgain = useReadRuntimesAgain();
  const update = useAction(
    (request: { enabled?: boolean; flags?: Record<string, boolean> }) =>
      drydock.runtimeCapabilities.update(one, request),
    readAgain,
  );
  const remove = useAction(() => drydock.runtimeCapabilities.uninstall(one), readAgain);
  return (
    <Group gap="sm">
      {Object.entries(flags).map(([flag, isSet]) => (
        <Switch
          key={flag}
          size="xs"
          label={flag}
          checked={isSet}
          disabled={update.isPending}
          onChange={({ currentTarget: { checked } }) => update.mutate({ flags: { [flag]: checked } })}
        />
      ))}
      <Switch
        size="xs"
        label="Enabled"
        checked={enabled}
        disabled={update.isPending}
        onChange={({ currentTarget: { checked } }) => update.mutate({ enabled: checked })}
      />
      <Button size="compact-xs" variant="default" onClick={dialog.open}>
        Remove
      </Button>
      <Confirm
        isOpen={isOpen}
        title={`Remove ${capability_name}?`}
        action="Remove the capability"
        refusal="Keep it"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
        onClose={dialog.close}
      >
        Its workers and MCP servers end. Other runtimes keep it.
      </Confirm>
    </Group>
  );
}
