/** Every prompt that was sent, with its response and the judge's score. */
import type { AirtAnalytics, AirtTrial, OneAssessment } from '@drydock/sdk';
import { Box, Group, Loader, NativeSelect, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatDuration, formatScore } from '../../components/format.ts';
import { type Column, ListTable } from '../../components/list/list-table.tsx';
import { Pager } from '../../components/list/pager.tsx';
import { TrialPanel } from '../findings/evidence.tsx';
import { TRIALS_PER_PAGE, trialsQuery } from '../queries.ts';
import styles from '../red-team.module.css';
import type { AssessmentSearch } from '../search.ts';
import { toWords } from '../states.ts';

interface TrialsTabProps {
  readonly assessmentRef: OneAssessment;
  readonly analytics: AirtAnalytics | undefined;
  readonly search: AssessmentSearch;
  readonly onChange: (next: AssessmentSearch, options?: { readonly replace: boolean }) => void;
}

export function TrialsTab({ assessmentRef, analytics, search, onChange }: TrialsTabProps) {
  const page = search.page ?? 1;
  const [attack] = search.attack ?? [];
  const isJailbreaksOnly = search.type?.includes('jailbreak') ?? false;
  const { data, error, refetch } = useQuery({
    ...trialsQuery(assessmentRef, {
      page,
      page_size: TRIALS_PER_PAGE,
      ...(attack && { attack_name: attack }),
      ...(search.finding && { finding_id: search.finding }),
      ...(isJailbreaksOnly && { jailbreaks_only: true }),
    }),
    placeholderData: keepPreviousData,
  });
  const rows = data?.items ?? [];
  const selected = rows.find(({ id }) => id === search.trial);
  const select = (trial: string | undefined) => onChange({ trial }, { replace: true });
  const filter = (next: AssessmentSearch) => onChange({ page: undefined, trial: undefined, ...next });
  return (
    <div className={styles['queue']}>
      <div className={styles['queueList']}>
        <Group gap="xs" mb="sm">
          <NativeSelect
            size="xs"
            aria-label="Attack"
            data={[
              { value: '', label: 'Any attack' },
              ...(analytics?.by_attack ?? []).map(({ name }) => ({ value: name, label: toWords(name) })),
            ]}
            value={attack ?? ''}
            onChange={({ currentTarget: { value } }) => filter({ attack: value ? [value] : undefined })}
          />
          <NativeSelect
            size="xs"
            aria-label="Result"
            data={[
              { value: '', label: 'Any result' },
              { value: 'jailbreak', label: 'Jailbreaks only' },
            ]}
            value={isJailbreaksOnly ? 'jailbreak' : ''}
            onChange={({ currentTarget: { value } }) => filter({ type: value ? ['jailbreak'] : undefined })}
          />
          {search.finding && (
            <Text size="xs" c="dimmed">
              Of one finding.
            </Text>
          )}
        </Group>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loader size="sm" aria-label="Loading" />}
        {data?.total === 0 && (
          <EmptyState title="No trials">Trials appear here as the attacks run.</EmptyState>
        )}
        {data && data.total > 0 && (
          <>
            <ListTable
              label="Trials"
              columns={COLUMNS.filter(({ key }) => !selected || BESIDE_PANEL.has(key))}
              minWidth={selected ? 380 : 760}
              rows={rows}
              keyOf={({ id }) => id}
              selected={search.trial}
              onSelect={select}
              onOpen={select}
            />
            <Pager
              page={page}
              pageSize={TRIALS_PER_PAGE}
              total={data.total}
              onChange={(next) => onChange({ page: next, trial: undefined })}
            />
          </>
        )}
      </div>
      {selected && <TrialPanel trial={selected} onClose={() => select(undefined)} />}
    </div>
  );
}

const COLUMNS: readonly Column<AirtTrial>[] = [
  {
    key: 'result',
    label: 'Result',
    width: 100,
    render: ({ error, is_jailbreak }) => (error !== null ? 'Error' : is_jailbreak ? 'Jailbreak' : 'Held'),
  },
  {
    key: 'score',
    label: 'Score',
    align: 'right',
    width: 64,
    render: ({ error, score }) => (error === null ? formatScore(score) : '–'),
  },
  {
    key: 'prompt',
    label: 'Attack and prompt',
    render: ({ attack_name, transformed_prompt, candidate }) => (
      <Box maw={420}>
        <Text size="xs" c="dimmed">
          {toWords(attack_name)}
        </Text>
        <Text size="sm" lineClamp={2} className="user-text">
          {transformed_prompt || candidate}
        </Text>
      </Box>
    ),
  },
  {
    key: 'response',
    label: 'Response',
    render: ({ response, error }) => (
      <Text size="sm" lineClamp={2} className="user-text" maw={380}>
        {error ?? response}
      </Text>
    ),
  },
  {
    key: 'time',
    label: 'Time',
    align: 'right',
    width: 80,
    render: ({ execution_time_s }) => formatDuration(execution_time_s * 1_000),
  },
];

const BESIDE_PANEL = new Set(['result', 'score', 'prompt']);
