/** The organization, workspace and project that the address names. */
import type { InWorkspace } from '@drydock/sdk';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';

const route = getRouteApi('/o/$org/w/$workspace');

/** Where calls of the SDK go: `{ org, workspace }`. */
export const useWhere = (): InWorkspace => route.useParams();

/** The key of the project that lists are narrowed to. */
export const useProject = (): string | undefined => route.useSearch().project;

/** The id of that project; undefined for all of them. `isReady` is false while it is looked up. */
export function useProjectId(): { readonly projectId: string | undefined; readonly isReady: boolean } {
  const where = useWhere();
  const project = useProject();
  const { data } = useQuery({ ...projectsQuery(where), enabled: project !== undefined });
  if (project === undefined) return { projectId: undefined, isReady: true };
  return { projectId: data?.find(({ key }) => key === project)?.id, isReady: data !== undefined };
}

export const projectsQuery = (where: InWorkspace) =>
  queryOptions({
    queryKey: ['projects', where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.projects.list(where, { signal }),
  });
