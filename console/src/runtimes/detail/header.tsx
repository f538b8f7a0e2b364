/** Name, state and buttons of a runtime. */
import type { Runtime } from '@drydock/sdk';
import { Box, Group, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../../components/copy-as.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { RuntimeActions } from '../actions.tsx';
import { Owner, StateBadge } from '../figures.tsx';

export function RuntimeHeader({ runtime }: { readonly runtime: Runtime }) {
  const where = useWhere();
  const navigate = useNavigate();
  const { key, name, status, description, project_name } = runtime;
  const leave = () => navigate({ to: '/o/$org/w/$workspace/runtimes', params: where });
  return (
    <Box>
      <AnchorLink to="/o/$org/w/$workspace/runtimes" params={where} size="xs">
        Runtimes
      </AnchorLink>
      <Group justify="space-between" gap="sm" align="flex-start">
        <Group gap="sm" miw={0} flex="1 1 320px">
          <Title order={1} size="h3" className="user-text">
            {name}
          </Title>
          <StateBadge state={status} />
        </Group>
        <CopyAs
          path={`/api/v1/org/${where.org}/ws/${where.workspace}/runtimes/${key}`}
          code={`await drydock.runtimes.get(${JSON.stringify({ ...where, runtime: key })})`}
        />
      </Group>
      <Text size="xs" c="dimmed" mb="sm" className="user-text">
        <Text span inherit ff="monospace">
          {key}
        </Text>
        {' · owner: '}
        <Owner runtime={runtime} />
        {project_name !== null && ` · project: ${project_name}`}
        {description !== null && ` · ${description}`}
      </Text>
      <RuntimeActions runtime={runtime} onDeleted={leave} />
    </Box>
  );
}
