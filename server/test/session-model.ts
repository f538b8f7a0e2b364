/** Computes the expected list and facets of sessions by a full scan of all sessions. */
import type { UserIdentityOf } from '../src/accounts/service.ts';
import type { SessionOf } from '../src/sessions/schema.ts';

export interface KnownSession {
  readonly session: SessionOf;
  /** Texts of its messages. */
  readonly messages: readonly string[];
}

export interface KnownGroup {
  readonly kind: string;
  readonly status: string | null;
}

export interface KnownWorld {
  readonly sessions: readonly KnownSession[];
  readonly groups: ReadonlyMap<string, KnownGroup>;
  readonly users: readonly UserIdentityOf[];
  /** Projects that are not deleted. */
  readonly projects: readonly { readonly id: string; readonly key: string }[];
}

type SortKey = 'created_at' | 'updated_at' | 'last_message_at' | 'title' | 'message_count';

/** A query as it is sent. */
export interface SearchQuery {
  readonly user_id?: string | undefined;
  readonly user?: readonly string[] | undefined;
  readonly project_id?: readonly string[] | undefined;
  readonly agent?: readonly string[] | undefined;
  readonly model?: readonly string[] | undefined;
  readonly origin?: readonly string[] | undefined;
  readonly archived?: 'active' | 'inactive' | 'archived' | 'any' | undefined;
  readonly label?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly include_workload_sessions?: boolean | undefined;
  readonly sort_by?: SortKey | undefined;
  readonly sort_dir?: 'asc' | 'desc' | undefined;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
}

const withoutCase = (text: string) => text.toLowerCase().replaceAll('ς', 'σ');

function isFound({ session, messages }: KnownSession, search: string): boolean {
  if (search.trim() === '') return true;
  const texts = [session.title ?? '', session.preview_text ?? '', ...messages];
  return texts.some((text) => withoutCase(text).includes(withoutCase(search)));
}

function hasLabels({ session: { labels } }: KnownSession, wanted: readonly string[]): boolean {
  const pairs = wanted.map((label) => {
    const [, key = '', value = ''] = /^([^:]*):(.*)$/s.exec(label) ?? [];
    return { key, value };
  });
  return pairs.every(({ key }) =>
    pairs.some((pair) => pair.key === key && labels[key]?.includes(pair.value)),
  );
}

function isInState({ session: { archived_at, frozen_at } }: KnownSession, archived: string): boolean {
  if (archived === 'any') return true;
  if (archived === 'inactive') return archived_at !== null || frozen_at !== null;
  return archived === 'archived' ? archived_at !== null : archived_at === null;
}

const isOneOf = (value: string | null, wanted: readonly string[] | undefined) =>
  wanted === undefined || (value !== null && wanted.includes(value));

function isOf({ session }: KnownSession, world: KnownWorld, { user, project_id }: SearchQuery): boolean {
  const owner = world.users.find(({ id }) => id === session.user_id);
  const project = world.projects.find(({ id }) => id === session.project_id);
  const names = (given: readonly string[]) => given.flatMap((text) => [text, text.toLowerCase()]);
  return (
    (user === undefined || isOneOf(session.user_id, names(user)) || isOneOf(owner?.username ?? null, user)) &&
    (project_id === undefined ||
      (project !== undefined && (names(project_id).includes(project.id) || project_id.includes(project.key))))
  );
}

function isMatching(known: KnownSession, world: KnownWorld, viewerId: string, query: SearchQuery): boolean {
  const { session } = known;
  const { origin, include_workload_sessions = false } = query;
  return (
    (session.visibility === 'workspace' || session.user_id === viewerId) &&
    (origin ? origin.includes(session.origin) : include_workload_sessions || session.origin === 'user') &&
    isInState(known, query.archived ?? 'active') &&
    isOneOf(session.user_id, query.user_id === undefined ? undefined : [query.user_id.toLowerCase()]) &&
    isOf(known, world, query) &&
    isOneOf(session.agent, query.agent) &&
    isOneOf(session.model, query.model) &&
    hasLabels(known, query.label ?? []) &&
    isFound(known, query.search ?? '')
  );
}

const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** @param values one or none for each session */
function count(values: readonly (string | null | undefined)[]) {
  const counts = new Map<string, number>();
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || byCodePoint(a.value, b.value));
}

export function expectedFacets(world: KnownWorld, viewerId: string, query: SearchQuery) {
  const found = world.sessions.filter((known) => isMatching(known, world, viewerId, query));
  const sessions = found.map(({ session }) => session);
  const groups = sessions.map(({ group_id }) => world.groups.get(group_id ?? ''));
  const owners = sessions.map(({ user_id }) => world.users.find(({ id }) => id === user_id)?.username);
  const keys = [...new Set(sessions.flatMap(({ labels }) => Object.keys(labels)))].toSorted(byCodePoint);
  const labels = keys
    .map((key) => [key, count(sessions.flatMap(({ labels }) => labels[key] ?? []))] as const)
    .filter(([, entries]) => entries.length > 0);
  return {
    agents: count(sessions.map(({ agent }) => agent)),
    models: count(sessions.map(({ model }) => model)),
    origins: count(sessions.map(({ origin }) => origin)),
    users: count(owners).map(({ value, count }) =>
      Object.assign(
        { count },
        world.users.find(({ username }) => username === value),
      ),
    ),
    group_kinds: count(groups.map((group) => group?.kind)),
    group_statuses: count(groups.map((group) => group?.status)),
    labels: Object.fromEntries(labels),
  };
}

function compare(a: SessionOf, b: SessionOf, { sort_by = 'updated_at', sort_dir = 'desc' }: SearchQuery) {
  const [left, right] = [a[sort_by], b[sort_by]];
  if (left === right) return a.id < b.id ? -1 : 1;
  if (left === null) return 1;
  if (right === null) return -1;
  const order = typeof left === 'number' ? left - Number(right) : byCodePoint(left, String(right));
  return sort_dir === 'asc' ? order : -order;
}

/**
 * Contains the ids of the sessions in place of the sessions.
 * @param countedAhead number of sessions beyond the page up to which they are counted
 */
export function expectedPage(
  world: KnownWorld,
  viewerId: string,
  query: SearchQuery,
  countedAhead = Number.POSITIVE_INFINITY,
) {
  const { page = 1, limit = 50 } = query;
  const ids = world.sessions
    .filter((known) => isMatching(known, world, viewerId, query))
    .toSorted((a, b) => compare(a.session, b.session, query))
    .map(({ session }) => session.id);
  const total = Math.min(ids.length, page * limit + countedAhead);
  const total_pages = Math.ceil(total / limit);
  return {
    ids: ids.slice((page - 1) * limit, page * limit),
    total,
    total_is_exact: total === ids.length,
    page,
    limit,
    total_pages,
    has_next: page < total_pages,
    has_previous: page > 1 && ids.length > 0,
  };
}

export function toParameters(query: SearchQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) parameters.append(name, String(item));
    }
  }
  return parameters.toString();
}
