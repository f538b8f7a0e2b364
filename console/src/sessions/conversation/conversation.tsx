/** The messages of a session. */
import type { OneSession } from '@drydock/sdk';
import { Code, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { drydock } from '../../api/client.ts';

interface ConversationProps {
  readonly where: OneSession;
  readonly isLive: boolean;
  readonly q: string | undefined;
  readonly onQueryChange: (q: string | undefined) => void;
}

export function Conversation({ where, isLive }: ConversationProps) {
  const { data } = useQuery({
    queryKey: ['transcript', where.session_id, isLive],
    queryFn: async ({ signal }) => drydock.transcripts.get(where, { limit: 50 }, { signal }),
  });
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  return (
    <Stack gap="sm">
      {data.messages.map(({ id, role, content, tool_calls }) => (
        <div key={id}>
          <Text size="xs" c="dimmed">
            {role}
          </Text>
          <Text size="sm" className="user-text">
            {content}
          </Text>
          {tool_calls?.map((call) => (
            <Code key={call.id} block>
              {call.name} {call.arguments}
            </Code>
          ))}
        </div>
      ))}
    </Stack>
  );
}
