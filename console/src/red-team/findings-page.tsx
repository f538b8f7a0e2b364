/** The triage queue of a project. */
import { Box, Group, Loader, NativeSelect, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CopyAs } from '../components/copy-as.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { AnchorLink } from '../components/links.tsx';
import { projectsQuery, useWhere } from '../frame/scope.ts';
import { toFindingFilters } from './findings/finding-facets.tsx';
import { FindingQueue } from './findings/finding-queue.tsx';
import { type ShownProject, useRedTeamProject } from './project.ts';
import type { FindingListSearch } from './search.ts';

const route = getRouteApi('/o/$org/w/$workspace/red-team/findings');

export function FindingsPage() {
  const where = useWhere();
  const search = route.useSearch();
  const navigate = useNavigate();
  const project = useRedTeamProject();
  const change = (next: FindingListSearch & { project?: string }, options?: { readonly replace: boolean }) =>
    void navigate({
      to: '/o/$org/w/$workspace/red-team/findings',
      params: where,
      search: { ...search, ...next },
      resetScroll: false,
      ...options,
    });
  if (project === undefined) return <Loader size="sm" m="md" aria-label="Loading" />;
  if (project === null)
    return <EmptyState title="No projects">Create a project, then run an assessment in it.</EmptyState>;
  return (
    <Box p="md">
      <Header
        project={project}
        search={search}
        onProject={(key) => change({ project: key, page: undefined, finding: undefined })}
      />
      <FindingQueue scope={{ ...where, project: project.key }} search={search} onChange={change} />
    </Box>
  );
}

interface HeaderProps {
  readonly project: ShownProject;
  readonly search: FindingListSearch;
  readonly onProject: (key: string) => void;
}

function Header({ project, search, onProject }: HeaderProps) {
  const where = useWhere();
  const { data: projects = [] } = useQuery(projectsQuery(where));
  const filters = toFindingFilters(search);
  return (
    <Box mb="md">
      <AnchorLink to="/o/$org/w/$workspace/red-team" params={where} size="xs">
        Red team
      </AnchorLink>
      <Group justify="space-between">
        <Title order={1} size="h3">
          Findings
        </Title>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Project of the findings"
            data={projects.map(({ key, name }) => ({ value: key, label: name }))}
            value={project.key}
            onChange={({ currentTarget }) => onProject(currentTarget.value)}
          />
          <CopyAs
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/airt/projects/${project.key}/findings`}
            query={filters}
            code={`await drydock.findings.list(${JSON.stringify({ ...where, project: project.key })}, ${JSON.stringify(filters)})`}
          />
        </Group>
      </Group>
    </Box>
  );
}
