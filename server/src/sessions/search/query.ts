/** Query parameters that the list and the facets share, and the filter that results from them. */
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid, Uuid } from '../../platform/fields.ts';
import { ORIGINS } from '../schema.ts';
import { foldText } from '../search-text.ts';
import type { Viewer } from '../visibility.ts';

const MAX_SEARCH = 200;

export const ARCHIVED = ['active', 'inactive', 'archived', 'any'] as const;

const filterFields = {
  user_id: Uuid.optional().describe('Of this owner'),
  user: z.array(z.string()).optional().describe('Of any of these owners: ids or usernames'),
  project_id: z.array(z.string()).optional().describe('Of any of these projects: ids or keys'),
  agent: z.array(z.string()).optional().describe('With any of these agents'),
  model: z.array(z.string()).optional().describe('With any of these models'),
  origin: z.array(z.enum(ORIGINS)).optional().describe('With any of these origins'),
  archived: z
    .enum(ARCHIVED)
    .default('active')
    .describe('`active`: not archived; `inactive`: archived or frozen'),
  label: z
    .array(z.string().regex(/^[^:]+:/, 'must be "key:value"'))
    .optional()
    .describe('`key:value`, split at the first colon; any value of the same key, and all keys'),
  search: z
    .string()
    .max(MAX_SEARCH)
    .optional()
    .describe('Part of the title, the preview or a message, case-insensitive'),
  include_workload_sessions: z
    .boolean()
    .default(false)
    .describe('Every origin, where `origin` names none; else only sessions of users'),
};

export const SessionQuery = z.object(filterFields);

export type SessionQueryOf = z.output<typeof SessionQuery>;
type Origin = (typeof ORIGINS)[number];

export interface LabelFilter {
  readonly key: string;
  readonly values: readonly string[];
}

/** All conditions apply. An undefined condition is ignored; an empty list matches nothing. */
export interface SessionFilter {
  readonly userId?: string | undefined;
  readonly userIds?: readonly string[] | undefined;
  readonly projectIds?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
  readonly origins?: readonly Origin[] | undefined;
  readonly archived: (typeof ARCHIVED)[number];
  /** Each key occurs once. */
  readonly labels: readonly LabelFilter[];
  /** Case-folded and not blank. */
  readonly search?: string | undefined;
}

/** Replaces names of users and projects by ids; unknown names match nothing. */
export async function resolveFilter(db: Db, viewer: Viewer, query: SessionQueryOf): Promise<SessionFilter> {
  const { userIds, projectIds } = await resolveNames(db, viewer, query);
  return {
    userId: query.user_id,
    userIds,
    projectIds,
    agents: query.agent,
    models: query.model,
    origins: query.origin ?? (query.include_workload_sessions ? undefined : ['user']),
    archived: query.archived,
    labels: toLabelFilters(query.label ?? []),
    search: query.search?.trim() ? foldText(query.search) : undefined,
  };
}

interface NamedIds {
  readonly user_ids: string[];
  readonly project_ids: string[];
}

/** Only existing projects count: sessions still refer to deleted ones. */
async function resolveNames(
  db: Db,
  { organizationId, workspaceId }: Viewer,
  { user, project_id }: Pick<SessionQueryOf, 'user' | 'project_id'>,
) {
  const users = splitIds(user);
  if (!project_id && users.names.length === 0) return { userIds: user && users.ids, projectIds: undefined };
  const projects = splitIds(project_id);
  const { rows } = await sql<NamedIds>`
    SELECT ARRAY(SELECT u.id FROM users AS u WHERE u.username = ANY (${users.names}::text[])) AS user_ids,
           ARRAY(SELECT p.id FROM projects AS p
                  WHERE p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId}
                    AND (p.id = ANY (${projects.ids}::uuid[]) OR p.key = ANY (${projects.names}::text[]))) AS project_ids
  `.execute(db);
  const [found] = rows as [NamedIds];
  return {
    userIds: user && [...users.ids, ...found.user_ids],
    projectIds: project_id && found.project_ids,
  };
}

/** Treats every value in the form of an id as an id, even if it is also the name of a user or project. */
function splitIds(given: readonly string[] = []) {
  const ids = given.filter(isUuid).map((id) => id.toLowerCase());
  return { ids, names: given.filter((text) => !isUuid(text)) };
}

function toLabelFilters(given: readonly string[]): LabelFilter[] {
  const byKey = new Map<string, string[]>();
  for (const label of given) {
    const colon = label.indexOf(':');
    const key = label.slice(0, colon);
    byKey.set(key, [...(byKey.get(key) ?? []), label.slice(colon + 1)]);
  }
  return [...byKey].map(([key, values]) => ({ key, values }));
}
