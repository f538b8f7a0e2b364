/** Findings and their summary belong to a project: the one that the frame shows, or else the default one. */
import { useQuery } from '@tanstack/react-query';
import { projectsQuery, useProject, useWhere } from '../frame/scope.ts';

export interface ShownProject {
  readonly key: string;
  readonly name: string;
}

const DEFAULT_KEY = 'default';

/** @returns undefined while the projects are read, and null in a workspace without any */
export function useRedTeamProject(): ShownProject | null | undefined {
  const chosen = useProject();
  const { data } = useQuery(projectsQuery(useWhere()));
  if (!data) return undefined;
  const find = (wanted: string) => data.find(({ key }) => key === wanted);
  if (chosen !== undefined) return find(chosen) ?? { key: chosen, name: chosen };
  return find(DEFAULT_KEY) ?? data[0] ?? null;
}
