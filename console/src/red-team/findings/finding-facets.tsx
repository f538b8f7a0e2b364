/** The filters of a list of findings. */
import type { AirtAnalytics } from '@drydock/sdk';
import { useQuery } from '@tanstack/react-query';
import { type Facet, FacetRail } from '../../components/list/facet-rail.tsx';
import { useWhere } from '../../frame/scope.ts';
import {
  attacksQuery,
  categoriesQuery,
  type FindingFilters,
  type FindingScope,
  summaryQuery,
} from '../queries.ts';
import { type FindingListSearch, readFindingListSearch } from '../search.ts';
import {
  FINDING_LABELS,
  FINDING_STATES,
  FINDING_TYPES,
  SEVERITIES,
  SEVERITY_LABELS,
  TYPE_LABELS,
  toWords,
} from '../states.ts';

export const FINDINGS_PER_PAGE = 25;

export function toFindingFilters(search: FindingListSearch): FindingFilters {
  const { severity, status, type, category, attack, search: text, sort, dir, page } = search;
  return {
    page: page ?? 1,
    page_size: FINDINGS_PER_PAGE,
    sort_by: sort ?? 'severity',
    sort_dir: dir ?? 'desc',
    ...(severity && { severity: severity.join(',') }),
    ...(status && { finding_status: status.join(',') }),
    ...(type && { finding_type: type.join(',') }),
    ...(category && { category: category.join(',') }),
    ...(attack && { attack_name: attack.join(',') }),
    ...(text && { search: text }),
  };
}

export const isFiltered = ({
  severity,
  status,
  type,
  category,
  attack,
  search,
}: FindingListSearch): boolean => Boolean(severity ?? status ?? type ?? category ?? attack ?? search);

interface FindingFacetsProps {
  readonly scope: FindingScope;
  readonly analytics: AirtAnalytics | undefined;
  readonly search: FindingListSearch;
  readonly onChange: (next: FindingListSearch) => void;
}

export function FindingFacets({ scope, analytics, search, onChange }: FindingFacetsProps) {
  const facets = useFacets(scope, analytics);
  return (
    <FacetRail
      facets={facets}
      selected={{
        severity: search.severity,
        status: search.status,
        type: search.type,
        category: search.category,
        attack: search.attack,
      }}
      onChange={(key, values) =>
        onChange({ ...readFindingListSearch({ ...search, [key]: values }), page: undefined })
      }
    />
  );
}

type Counts = Readonly<Record<string, number>>;

/** The number of findings is known for an assessment, and of a project only by status. */
function useFacets(scope: FindingScope, analytics: AirtAnalytics | undefined): readonly Facet[] {
  const where = useWhere();
  const isOfProject = scope.assessment_id === undefined;
  const { data: summary } = useQuery({
    ...summaryQuery(where, scope.project ?? ''),
    enabled: isOfProject && scope.project !== undefined,
  });
  const { data: attacks } = useQuery({ ...attacksQuery(where), enabled: isOfProject });
  const { data: categories } = useQuery({ ...categoriesQuery(where), enabled: isOfProject });
  const fixed = (names: readonly string[], labels: Readonly<Record<string, string>>, counts?: Counts) =>
    names.map((value) => ({ value, label: labels[value] ?? value, count: counts?.[value] }));
  const named = (names: readonly { readonly name: string; readonly findings?: number }[]) =>
    names
      .map(({ name, findings }) => ({ value: name, label: toWords(name), count: findings }))
      .toSorted((a, b) => a.label.localeCompare(b.label));
  const types = analytics
    ? FINDING_TYPES.filter((type) => (analytics.finding_types[type] ?? 0) > 0)
    : FINDING_TYPES;
  const statuses = analytics?.finding_statuses ?? summary?.finding_statuses;
  return [
    { key: 'severity', label: 'Severity', values: fixed(SEVERITIES, SEVERITY_LABELS) },
    { key: 'status', label: 'Status', values: fixed(FINDING_STATES, FINDING_LABELS, statuses) },
    { key: 'type', label: 'Type', values: fixed(types, TYPE_LABELS, analytics?.finding_types) },
    { key: 'category', label: 'Goal category', values: named(analytics?.by_category ?? categories ?? []) },
    { key: 'attack', label: 'Attack', values: named(analytics?.by_attack ?? attacks ?? []) },
  ];
}
