/** The journey of a capability: what changed from version to version, why, and what proves it. */
import { Box, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { formatCountOf } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { Pager } from '../components/list/pager.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { useWhere } from '../frame/scope.ts';
import { JourneyChart } from './chart.tsx';
import { journeyQuery, PAGE_SIZE } from './queries.ts';
import { VersionRow } from './version-row.tsx';

const route = getRouteApi('/o/$org/w/$workspace/capabilities/$capability/journey');

export function JourneyPage() {
  const where = useWhere();
  const navigate = useNavigate();
  const { capability } = route.useParams();
  const { page = 1 } = route.useSearch();
  const { data, error, refetch } = useQuery({
    ...journeyQuery(where, capability, page),
    placeholderData: keepPreviousData,
  });
  useDocumentTitle(`Journey of ${capability} · Drydock`);
  if (replacesPage(error, data))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/gates`}
        backLabel="the gates"
      />
    );
  if (!data) return <Loader size="sm" m="md" aria-label="Loading" />;
  return (
    <Box p="md">
      <Stack gap="md">
        <Box>
          <AnchorLink to="/o/$org/w/$workspace/gates" params={where} size="xs">
            Gates
          </AnchorLink>
          <Group justify="space-between" gap="sm">
            <Title order={1} size="h3" className="user-text">
              Journey of {data.capability}
            </Title>
            <CopyAs
              path={`/api/v1/org/${where.org}/ws/${where.workspace}/capabilities/${encodeURIComponent(capability)}/journey`}
              query={{ page, page_size: PAGE_SIZE }}
              code={`await drydock.capabilities.journey(${JSON.stringify({ ...where, capability })}, { page: ${page}, page_size: ${PAGE_SIZE} })`}
            />
          </Group>
          <Text size="sm" c="dimmed">
            {formatCountOf(data.total, 'version')}, with the evaluations, attacks and checks of this
            workspace.
          </Text>
        </Box>
        <SectionCard title="Versions over time">
          <JourneyChart versions={data.items} />
        </SectionCard>
        <Stack gap="sm" component="ol" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Versions">
          {data.items.map((version) => (
            <VersionRow key={version.version} capability={data.capability} item={version} />
          ))}
        </Stack>
        <Pager
          page={page}
          pageSize={PAGE_SIZE}
          total={data.total}
          onChange={(next) =>
            void navigate({
              to: '/o/$org/w/$workspace/capabilities/$capability/journey',
              params: { ...where, capability },
              search: { page: next },
            })
          }
        />
      </Stack>
    </Box>
  );
}
