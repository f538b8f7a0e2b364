/** The predicate of the sessions that a filter matches, shared by the list and the facets. */
import { type RawBuilder, sql } from 'kysely';
import { isVisible, type Viewer } from '../visibility.ts';
import { isTextIn } from './message-search.ts';
import type { SessionFilter } from './query.ts';

/** Tells whether the filter keeps most of what the caller sees. Otherwise the matching rows are materialized once. */
export function isBroad({ userId, userIds, projectIds, agents, models, labels, search }: SessionFilter) {
  return (
    labels.length === 0 &&
    [userId, userIds, projectIds, agents, models, search].every((part) => part === undefined)
  );
}

/**
 * Builds the predicate for a row `s` of sessions. Its text is the same for all combinations of filters; otherwise there would be a thousand
 * statements to plan. Cheap conditions come first.
 */
export function isMatching(viewer: Viewer, filter: SessionFilter): RawBuilder<boolean> {
  const { origins, archived, projectIds, agents, models } = filter;
  const state = sql`CASE ${archived}::text
    WHEN 'active' THEN s.archived_at IS NULL
    WHEN 'archived' THEN s.archived_at IS NOT NULL
    WHEN 'inactive' THEN s.archived_at IS NOT NULL OR s.frozen_at IS NOT NULL
    ELSE true END`;
  const always = sql<boolean>`${isVisible(viewer, 's')} AND ${state} AND ${isAnyOf('origin', 'text', origins)}`;
  if (isBroad(filter)) return always;
  return sql<boolean>`${always} AND ${isAnyOf('user_id', 'uuid', ownersOf(filter))}
    AND ${isAnyOf('project_id', 'uuid', projectIds)} AND ${isAnyOf('agent', 'text', agents)}
    AND ${isAnyOf('model', 'text', models)} AND ${hasLabels(filter)} AND ${isFound(viewer, filter)}`;
}

function isAnyOf(column: string, type: 'text' | 'uuid', values: readonly string[] | undefined) {
  const list = sql`${values ?? null}::${sql.raw(type)}[]`;
  return sql`(${list} IS NULL OR ${sql.ref(`s.${column}`)} = ANY (${list}))`;
}

/** Owners may be given in two ways, and both filters apply. */
function ownersOf({ userId, userIds }: SessionFilter): readonly string[] | undefined {
  if (userId === undefined) return userIds;
  return userIds && !userIds.includes(userId) ? [] : [userId];
}

/** The first key uses the index; the other keys filter its result, however many there are. */
function hasLabels({ labels: [first, ...others] }: SessionFilter) {
  const key = sql`${first?.key ?? null}::text`;
  const rest = others.length > 0 ? JSON.stringify(others) : null;
  return sql`(${key} IS NULL OR s.labels -> ${key} ?| ${first?.values ?? null}::text[])
    AND (${rest}::jsonb IS NULL OR NOT EXISTS (
      SELECT FROM jsonb_to_recordset(${rest}::jsonb) AS l (key text, values text[])
       WHERE (s.labels -> l.key ?| l.values) IS NOT TRUE))`;
}

/** Searches messages only if the session has any, and if title and preview do not match. */
function isFound(viewer: Viewer, { search }: SessionFilter) {
  const text = sql`${search ?? null}::text`;
  return sql`(${text} IS NULL OR strpos(s.search_text, ${text}) > 0
    OR s.last_seq > 0 AND ${isTextIn(viewer, sql`s.id`, text)})`;
}
