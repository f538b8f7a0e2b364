/**
 * The queries of the runtime pages. Runtimes have no event stream, so a page that is visible reads them again at an interval. Keys begin
 * with `runtimes` or `runtime`, so that everything an action outdates is found.
 */
import type { InWorkspace, OneRuntime, OneSandbox, Runtime, Sandbox } from '@drydock/sdk';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';
import type { RuntimeListSearch } from './search.ts';

const LISTS_KEY = 'runtimes';
const RUNTIME_KEY = 'runtime';

/** How often a visible page reads the state of runtimes again. */
const REFRESH_MS = 10_000;
const PAGE_SIZE = 200;
/** The API has no search, so that many pages are read and searched in the browser. */
const MAX_PAGES = 5;

/** Rows of several pages. `isComplete` is false when the server has more. */
interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly isComplete: boolean;
}

interface Page<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

async function readPages<Row>(
  read: (page: { limit: number; cursor?: string }) => PromiseLike<Page<Row>>,
): Promise<Rows<Row>> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: Page<Row> = await read({ limit: PAGE_SIZE, ...(cursor !== null && { cursor }) });
    rows.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) return { rows, isComplete: true };
  }
  return { rows, isComplete: false };
}

export interface RuntimeFilters {
  readonly state?: RuntimeListSearch['state'];
  readonly project_id?: string;
}

export const runtimeListQuery = (where: InWorkspace, { state, ...project }: RuntimeFilters) =>
  queryOptions<Rows<Runtime>>({
    queryKey: [LISTS_KEY, where.org, where.workspace, { state, ...project }],
    queryFn: ({ signal }) =>
      readPages((page) =>
        drydock.runtimes.list(where, { ...project, ...(state && { state: [state] }), ...page }, { signal }),
      ),
    refetchInterval: REFRESH_MS,
  });

/** The sandboxes of the organization that run or are paused, by ID: a runtime in a list has neither its limits nor the name of its owner. */
export const liveSandboxesQuery = (org: string) =>
  queryOptions<ReadonlyMap<string, Sandbox>>({
    queryKey: [LISTS_KEY, 'sandboxes', org],
    queryFn: async ({ signal }) => {
      const read = (state: 'running' | 'paused') =>
        drydock.sandboxes.list({ org }, { state: [state], limit: PAGE_SIZE }, { signal });
      const pages = await Promise.all([read('running'), read('paused')]);
      return new Map(pages.flatMap(({ items }) => items.map((one) => [one.sandbox_id, one] as const)));
    },
  });

/** The names of the members of the organization, by the ID of the user. */
export const memberNamesQuery = (org: string) =>
  queryOptions<ReadonlyMap<string, string>>({
    queryKey: ['member-names', org],
    queryFn: async ({ signal }) => {
      const members = await drydock.members.list({ org }, { signal });
      return new Map(members.map(({ user_id, user }) => [user_id, user.full_name ?? user.username]));
    },
    staleTime: 60_000,
  });

export const runtimeQuery = (where: OneRuntime) =>
  queryOptions({
    queryKey: [RUNTIME_KEY, where],
    queryFn: async ({ signal }) => drydock.runtimes.get(where, { signal }),
    refetchInterval: REFRESH_MS,
  });

export const configQuery = (where: OneRuntime) =>
  queryOptions({
    queryKey: [RUNTIME_KEY, where, 'config'],
    queryFn: async ({ signal }) => drydock.runtimes.getConfig(where, { signal }),
  });

/** One sandbox, with the limits that are enforced. */
export const sandboxQuery = (where: OneSandbox) =>
  queryOptions({
    queryKey: [RUNTIME_KEY, 'sandbox', where],
    queryFn: async ({ signal }) => drydock.sandboxes.get(where, { signal }),
  });

/** All sandboxes of a runtime. The API lists those of an organization, among which they are looked for. */
export const runtimeSandboxesQuery = (org: string, { id, project_id }: Runtime) =>
  queryOptions<Rows<Sandbox>>({
    queryKey: [RUNTIME_KEY, 'sandboxes', org, id],
    queryFn: async ({ signal }) => {
      const filters = project_id === null ? {} : { project_id };
      const { rows, isComplete } = await readPages((page) =>
        drydock.sandboxes.list({ org }, { ...filters, ...page }, { signal }),
      );
      return { rows: rows.filter(({ runtime_id }) => runtime_id === id), isComplete };
    },
  });

export const providersQuery = (org: string) =>
  queryOptions({
    queryKey: ['sandbox-providers', org],
    queryFn: async ({ signal }) => drydock.sandboxes.listProviders({ org }, { signal }),
    staleTime: 60_000,
  });

export type LogKind = 'lifecycle' | 'egress';
export type LogEntry = Awaited<ReturnType<typeof drydock.sandboxes.listLogs>>['items'][number];

/** The log of a sandbox. While its page is visible it is read again, because a sandbox writes to it at any time. */
export const sandboxLogQuery = (where: OneSandbox, kind: LogKind) =>
  queryOptions<Rows<LogEntry>>({
    queryKey: [RUNTIME_KEY, 'sandbox', where, 'log', kind],
    queryFn: ({ signal }) =>
      readPages((page) => drydock.sandboxes.listLogs(where, { kind, ...page }, { signal })),
    refetchInterval: REFRESH_MS,
  });

export const filesKey = (where: OneRuntime) => [RUNTIME_KEY, where, 'files'] as const;
export const bindingsKey = (where: OneRuntime) => [RUNTIME_KEY, where, 'capabilities'] as const;
export const processesKey = (where: OneRuntime) => [RUNTIME_KEY, where, 'processes'] as const;

/** @returns a function that reads runtimes again, everywhere, after one was changed */
export function useReadRuntimesAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: [RUNTIME_KEY] }),
      queries.invalidateQueries({ queryKey: [LISTS_KEY] }),
    ]);
  };
}
