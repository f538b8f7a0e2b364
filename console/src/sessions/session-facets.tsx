/** The filters of the session list. */
import type { SessionFacetsResponse } from '@drydock/sdk';
import { Select, Stack } from '@mantine/core';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';
import { type Facet, FacetRail } from '../components/list/facet-rail.tsx';
import { useWhere } from '../frame/scope.ts';
import type { SessionListSearch } from './search.ts';

/** A longer list of values is hard to read; the search finds the others. */
const MAX_VALUES = 12;
const MAX_LABEL_KEYS = 6;

type Entry = { readonly value: string; readonly label?: string; readonly count: number };

interface SessionFacetsProps {
  readonly filters: Readonly<Record<string, unknown>>;
  readonly search: SessionListSearch;
  readonly isReady: boolean;
  readonly onChange: (next: Partial<SessionListSearch>) => void;
}

export function SessionFacets({ filters, search, isReady, onChange }: SessionFacetsProps) {
  const data = useFacets(filters, isReady);
  const selected: Record<string, readonly string[] | undefined> = {
    model: search.model,
    agent: search.agent,
    origin: search.origin,
    user: search.user,
    ...Object.fromEntries(toLabelKeys(data, search).map((key) => [`label:${key}`, labelsOf(search, key)])),
  };
  const choose = (key: string, values: readonly string[]) => {
    const chosen = values.length > 0 ? values : undefined;
    if (!key.startsWith('label:')) return onChange({ [key]: chosen, selected: undefined });
    const others = (search.label ?? []).filter((label) => !label.startsWith(`${key.slice(6)}:`));
    const label = [...others, ...values];
    onChange({ label: label.length > 0 ? label : undefined, selected: undefined });
  };
  return (
    <Stack gap="md" w={200} style={{ flexShrink: 0 }}>
      <Select
        size="xs"
        label="Archive status"
        data={[
          { value: 'active', label: 'Not archived' },
          { value: 'archived', label: 'Archived' },
          { value: 'inactive', label: 'Archived or frozen' },
          { value: 'any', label: 'All' },
        ]}
        allowDeselect={false}
        value={search.archived ?? 'active'}
        onChange={(value) => onChange({ archived: value === 'active' ? undefined : (value ?? undefined) })}
      />
      <FacetRail facets={toFacets(data, search)} selected={selected} onChange={choose} />
    </Stack>
  );
}

const FACET_OF = { model: 'models', agent: 'agents', origin: 'origins', user: 'users' } as const;

/**
 * The API applies every filter to every facet, so a facet with a chosen value would hide its other values. The values of such a facet are
 * read with a second request, without the facet's own filter.
 */
function useFacets(
  filters: Readonly<Record<string, unknown>>,
  isReady: boolean,
): SessionFacetsResponse | undefined {
  const where = useWhere();
  const chosen = (['model', 'agent', 'origin', 'user'] as const).filter((key) => filters[key] !== undefined);
  const queries = [filters, ...chosen.map((key) => ({ ...filters, [key]: undefined }))];
  const [all, ...others] = useQueries({
    queries: queries.map((query) => ({
      queryKey: ['session-facets', where, query],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
        drydock.sessions.facets(where, query, { signal }),
      placeholderData: keepPreviousData<SessionFacetsResponse>,
      enabled: isReady,
    })),
  });
  if (!all?.data) return undefined;
  const widened = chosen.map((key, index) => {
    const facet = FACET_OF[key];
    return [facet, (others[index]?.data ?? all.data)?.[facet]];
  });
  return { ...all.data, ...Object.fromEntries(widened) };
}

const labelsOf = ({ label = [] }: SessionListSearch, key: string) =>
  label.filter((one) => one.startsWith(`${key}:`));

function toLabelKeys(data: SessionFacetsResponse | undefined, search: SessionListSearch): string[] {
  const chosen = (search.label ?? []).map((label) => label.slice(0, label.indexOf(':')));
  return [...new Set([...chosen, ...Object.keys(data?.labels ?? {})])].slice(0, MAX_LABEL_KEYS);
}

function toFacets(data: SessionFacetsResponse | undefined, search: SessionListSearch): Facet[] {
  const users = data?.users.map(({ username, full_name, count }) => ({
    value: username,
    label: full_name ?? username,
    count,
  }));
  return [
    { key: 'model', label: 'Model', values: toValues(data?.models, search.model) },
    { key: 'agent', label: 'Agent', values: toValues(data?.agents, search.agent) },
    { key: 'origin', label: 'Origin', values: toValues(data?.origins, search.origin) },
    { key: 'user', label: 'User', values: toValues(users, search.user) },
    ...toLabelKeys(data, search).map((key) => ({
      key: `label:${key}`,
      label: `Label ${key}`,
      values: toValues(
        data?.labels[key]?.map(({ value, count }) => ({ value: `${key}:${value}`, label: value, count })),
        labelsOf(search, key),
      ).map(({ value, label, count }) => ({ value, label: label ?? value.slice(key.length + 1), count })),
    })),
  ];
}

/** @returns the most frequent values, and all chosen ones, so that they can be deselected */
function toValues(entries: readonly Entry[] = [], chosen: readonly string[] = []) {
  const first = entries.toSorted((a, b) => b.count - a.count).slice(0, MAX_VALUES);
  const missing = chosen.filter((value) => first.every((entry) => entry.value !== value));
  return [
    ...first,
    ...missing.map(
      (value) => entries.find((entry) => entry.value === value) ?? { value, label: undefined, count: 0 },
    ),
  ];
}
