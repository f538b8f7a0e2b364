/** The sessions that ran in a runtime. Lists of sessions have no such filter, so they are found with SQL, when the user asks. */
import type { Runtime } from '@drydock/sdk';
import { Button, Group, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatAgo } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useWhere } from '../../frame/scope.ts';

const MAX_SESSIONS = 50;

export function RuntimeSessions({ runtime: { id } }: { readonly runtime: Pick<Runtime, 'id'> }) {
  const where = useWhere();
  const [isRequested, setRequested] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['runtime-sessions', where, id],
    enabled: isRequested,
    queryFn: async ({ signal }) => {
      const query = `SELECT id, title, preview_text, updated_at FROM sessions WHERE runtime_id = '${id}' ORDER BY updated_at DESC LIMIT ${MAX_SESSIONS}`;
      const { rows } = await drydock.sql.query(where, { query }, { signal });
      return rows as [id: string, title: string | null, preview: string | null, updatedAt: string][];
    },
  });
  const find = () => (isRequested ? void refetch() : setRequested(true));
  return (
    <SectionCard
      title="Sessions"
      hint={`Conversations of agents that named this runtime, the newest ${MAX_SESSIONS}.`}
      aside={
        <Button size="xs" variant="default" loading={isFetching} onClick={find}>
          {data ? 'Look again' : 'Find its sessions'}
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No session names this runtime. A session does when it is saved with its runtime_id.
        </Text>
      )}
      <List size="sm" spacing={4}>
        {data?.map(([sessionId, title, preview, updatedAt]) => (
          <List.Item key={sessionId}>
            <Group gap="xs">
              <AnchorLink
                to="/o/$org/w/$workspace/sessions/$sessionId"
                params={{ ...where, sessionId }}
                size="sm"
                className="user-text"
              >
                {title ?? preview ?? sessionId}
              </AnchorLink>
              <Text size="xs" c="dimmed">
                {formatAgo(updatedAt)}
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
    </SectionCard>
  );
}
