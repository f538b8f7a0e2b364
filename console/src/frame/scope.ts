/** The organization, workspace and project that the address names. */
import type { InWorkspace } from '@drydock/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';

const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

const route = getRouteApi('/o/$org/w/$workspace');

/** The first argument of most SDK calls: `{ org, workspace }`. */
export const useWhere = (): InWorkspace => route.useParams();

/** The key of the project that lists are filtered by. */
export const useProject = (): string | undefined => route.useSearch().project;

/** The ID of that project, or undefined for all projects. `isReady` is false until the project has been looked up. */
export function useProjectId(): { readonly projectId: string | undefined; readonly isReady: boolean } {
  const where = useWhere();
  const project = useProject();
  const { data } = useQuery({ ...projectsQuery(where), enabled: project !== undefined });
  if (project === undefined) return { projectId: undefined, isReady: true };
  if (!data) return { projectId: undefined, isReady: false };
  // A project that was deleted has no rows.
  return { projectId: data.find(({ key }) => key === project)?.id ?? NO_PROJECT, isReady: true };
}

export const projectsQuery = (where: InWorkspace) =>
  queryOptions({
    queryKey: ['projects', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.projects.list(where, { signal }),
  });
