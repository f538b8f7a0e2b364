/** The triage queue: filters, the list with its keys, and the evidence of the selected finding. */
import type { AirtAnalytics, FindingSummary, UpdateFindingRequest } from '@drydock/sdk';
import { Button, Loader } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Pager } from '../../components/list/pager.tsx';
import { SearchInput } from '../../components/list/search-input.tsx';
import { type FindingScope, findingListQuery } from '../queries.ts';
import styles from '../red-team.module.css';
import type { FindingListSearch } from '../search.ts';
import type { FindingState } from '../states.ts';
import { FINDINGS_PER_PAGE, FindingFacets, isFiltered, toFindingFilters } from './finding-facets.tsx';
import { FindingPanel } from './finding-panel.tsx';
import { FindingTable } from './finding-table.tsx';
import { NotesDialog } from './notes-dialog.tsx';
import { handleTriageKey, useTriage } from './triage.ts';
import { TriageBar } from './triage-bar.tsx';

interface FindingQueueProps {
  /** The findings of one assessment, or of a project. */
  readonly scope: FindingScope;
  readonly analytics?: AirtAnalytics | undefined;
  readonly search: FindingListSearch;
  readonly onChange: (next: FindingListSearch, options?: { readonly replace: boolean }) => void;
}

export function FindingQueue({ scope, analytics, search, onChange }: FindingQueueProps) {
  const { data, error, refetch } = useQuery({
    ...findingListQuery(scope, toFindingFilters(search)),
    placeholderData: keepPreviousData,
  });
  const rows = data?.items ?? [];
  const select = (finding: string | undefined) => onChange({ finding }, { replace: true });
  const filter = (next: FindingListSearch) => onChange({ page: undefined, finding: undefined, ...next });
  return (
    <div className={styles['queue']}>
      <Button size="compact-xs" className={styles['skip']} onClick={focusList}>
        Skip the filters
      </Button>
      <FindingFacets scope={scope} analytics={analytics} search={search} onChange={filter} />
      <div className={styles['queueList']}>
        <SearchInput
          label="Search findings"
          placeholder="Search goals, attacks and notes"
          initialText={search.search}
          onSearch={(text) => onChange({ search: text, page: undefined }, { replace: true })}
        />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" m="md" aria-label="Loading" />}
        {data?.total === 0 && <NoFindings search={search} />}
        {data && data.total > 0 && (
          <>
            <TriageList
              rows={rows}
              search={search}
              isOfProject={scope.assessment_id === undefined}
              onSelect={select}
              onSort={filter}
            />
            <Pager
              page={search.page ?? 1}
              pageSize={FINDINGS_PER_PAGE}
              total={data.total}
              onChange={(page) => onChange({ page, finding: undefined })}
            />
          </>
        )}
      </div>
      {search.finding && (
        <FindingPanel key={search.finding} findingId={search.finding} onClose={() => select(undefined)} />
      )}
    </div>
  );
}

/** The row of the list that Tab would reach after all filters. */
const CURRENT_ROW = '[data-findings] tbody tr[tabindex="0"]';

const focusList = (): void => document.querySelector<HTMLElement>(CURRENT_ROW)?.focus();

function NoFindings({ search }: { readonly search: FindingListSearch }) {
  return isFiltered(search) ? (
    <EmptyState title="No matching findings">Remove a filter, or search for another text.</EmptyState>
  ) : (
    <EmptyState title="No findings yet" command="npm run demo">
      Each attack on each goal is a finding, also when the target held.
    </EmptyState>
  );
}

interface TriageListProps {
  readonly rows: readonly FindingSummary[];
  readonly search: FindingListSearch;
  readonly isOfProject: boolean;
  readonly onSelect: (id: string) => void;
  readonly onSort: (sort: Pick<FindingListSearch, 'sort' | 'dir'>) => void;
}

/** The buttons and the list. Both act on the checked findings or, without any, on the selected one. */
function TriageList({ rows, search, isOfProject, onSelect, onSort }: TriageListProps) {
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'severity' | 'notes'>();
  const list = useRef<HTMLDivElement>(null);
  const moveFocus = useFocusInList(list, rows, search.finding);
  const triage = useTriage();
  // The row that has the focus when the list has it: the selected one, or the first.
  const index = Math.max(
    0,
    rows.findIndex(({ id }) => id === search.finding),
  );
  const current = rows[index];
  // Findings that were checked on another page or before a filter are not changed, since the user does not see them.
  const shown = rows.filter(({ id }) => checked.has(id)).map(({ id }) => id);
  const ids = shown.length > 0 ? shown : current ? [current.id] : [];
  const decide = (change: UpdateFindingRequest) => {
    triage.mutate({ ids, change });
    setChecked(new Set());
    setOpen(undefined);
  };
  const decideStatus = (finding_status: FindingState) => {
    decide({ finding_status });
    const next = rows.slice(index + 1).find(({ id }) => !ids.includes(id)) ?? rows[index - 1];
    if (next) onSelect(next.id);
    moveFocus();
  };
  const toggle = (id: string) =>
    setChecked(checked.has(id) ? without(checked, id) : new Set([...checked, id]));
  const actions = {
    onStatus: decideStatus,
    onSeverity: () => setOpen('severity'),
    onNotes: () => setOpen('notes'),
    onCheck: () => current && toggle(current.id),
  };
  return (
    <>
      <TriageBar
        {...actions}
        checkedCount={shown.length}
        isEnabled={current !== undefined}
        isSeverityOpen={open === 'severity'}
        onSeverityOpenChange={(isOpen) => setOpen(isOpen ? 'severity' : undefined)}
        onChooseSeverity={(severity) => {
          decide({ severity });
          moveFocus();
        }}
        onCheckAll={() => setChecked(new Set(rows.map(({ id }) => id)))}
        onUncheckAll={() => setChecked(new Set())}
      />
      <div ref={list} data-findings onKeyDown={(event) => handleTriageKey(event, actions)}>
        <FindingTable
          rows={rows}
          search={search}
          checked={checked}
          isOfProject={isOfProject}
          onCheck={toggle}
          onSelect={onSelect}
          onSort={onSort}
        />
      </div>
      {open === 'notes' && (
        <NotesDialog
          count={ids.length}
          initialNotes={ids.length === 1 ? (current?.notes ?? '') : ''}
          onSave={decide}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

const without = (set: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  new Set([...set].filter((one) => one !== id));

/**
 * Keeps the focus in the list after a decision, so that the next key works at once. The row that had it may have left the list, because it
 * does not match the filters any more.
 * @returns a function that focuses the selected row once it is shown
 */
function useFocusInList(
  list: React.RefObject<HTMLDivElement | null>,
  rows: readonly FindingSummary[],
  selected: string | undefined,
): () => void {
  const isWanted = useRef(false);
  const focus = useEffectEvent(() => {
    const { activeElement } = document;
    const isInList = list.current?.contains(activeElement) ?? false;
    // The focus stays where people have put it themselves.
    if (!isWanted.current || (activeElement !== document.body && !isInList)) {
      isWanted.current = false;
      return;
    }
    focusList();
  });
  useEffect(() => focus(), [rows, selected]);
  return () => {
    isWanted.current = true;
    focusList();
  };
}
