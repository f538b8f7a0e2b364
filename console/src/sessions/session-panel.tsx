/** The key facts of a session, beside the list and on its page. */
import type { SessionResponse } from '@drydock/sdk';
import { Badge, Group, Stack, Text } from '@mantine/core';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatCount, formatTime, formatUsd } from '../components/format.ts';
import { AnchorLink, ButtonLink } from '../components/links.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { useWhere } from '../frame/scope.ts';
import { titleOf } from './session-title.ts';

interface SessionPanelProps {
  readonly session: SessionResponse;
  readonly onClose: () => void;
}

export function SessionPanel({ session, onClose }: SessionPanelProps) {
  const where = useWhere();
  return (
    <SidePanel title={titleOf(session)} onClose={onClose}>
      <Stack gap="sm">
        {session.preview_text && (
          <Text size="sm" c="dimmed" lineClamp={6} className="user-text">
            {session.preview_text}
          </Text>
        )}
        <FactList facts={toFacts(session)} />
        <Labels labels={session.labels} />
        <ButtonLink
          to="/o/$org/w/$workspace/sessions/$sessionId"
          params={{ ...where, sessionId: session.id }}
          size="xs"
        >
          Open the session
        </ButtonLink>
      </Stack>
    </SidePanel>
  );
}

export function toFacts(session: SessionResponse): Fact[] {
  const { usage } = session;
  const cached = usage.total_cache_read_input_tokens + usage.total_cache_creation_input_tokens;
  return [
    ['Model', session.model],
    ['Agent', session.agent],
    ['Origin', session.origin],
    ['User', session.created_by?.full_name ?? session.created_by?.username],
    ['Visible to', session.visibility === 'private' ? 'its owner only' : 'everyone in the workspace'],
    ['Messages', formatCount(usage.total_message_count)],
    ['Tool calls', formatCount(usage.total_tool_call_count)],
    ['Compactions', usage.compaction_count > 0 ? formatCount(usage.compaction_count) : null],
    ['Input tokens', formatCount(usage.total_input_tokens)],
    ['Cached tokens', cached > 0 ? formatCount(cached) : null],
    ['Output tokens', formatCount(usage.total_output_tokens)],
    ['Cost', formatUsd(usage.total_cost_usd)],
    ['Created', formatTime(session.created_at)],
    ['Last message', formatTime(session.last_message_at)],
    ['Archived', session.archived_at && formatTime(session.archived_at)],
    ['Frozen', session.frozen_at && formatTime(session.frozen_at)],
  ];
}

export function Labels({ labels }: Pick<SessionResponse, 'labels'>) {
  const where = useWhere();
  const all = Object.entries(labels).flatMap(([key, values]) => values.map((value) => ({ key, value })));
  if (all.length === 0) return null;
  return (
    <Group gap={4}>
      {all.map(({ key, value }) => (
        <AnchorLink
          key={`${key}:${value}`}
          to="/o/$org/w/$workspace/sessions"
          params={where}
          search={{ label: [`${key}:${value}`] }}
          title={`Sessions with ${key}: ${value}`}
        >
          <Badge size="sm" variant="default" tt="none" maw={260}>
            {key}: {value}
          </Badge>
        </AnchorLink>
      ))}
    </Group>
  );
}
