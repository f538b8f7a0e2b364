/** The score of each candidate on each validation example, which shows what is still hard and what a change has broken. */
import type { OneOptimizationJob, OptimizationCandidate, OptimizationJobResponse } from '@drydock/sdk';
import { Loader, Stack, Text, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCount, formatScore } from '../../components/format.ts';
import { Pager } from '../../components/list/pager.tsx';
import styles from '../optimization.module.css';
import { EXAMPLES_PER_PAGE, examplesQuery } from '../queries.ts';
import type { JobSearch } from '../search.ts';
import { validationSplitOf } from '../states.ts';

/** 100 examples with this many candidates are 4,000 cells. */
const MAX_COLUMNS = 40;

interface HeatMapProps {
  readonly job: OptimizationJobResponse;
  readonly jobRef: OneOptimizationJob;
  readonly candidates: readonly OptimizationCandidate[];
  readonly search: JobSearch;
  readonly onChange: (next: JobSearch, options?: { readonly replace: boolean }) => void;
}

export function HeatMap({ job, jobRef, candidates, search, onChange }: HeatMapProps) {
  const page = search.page ?? 1;
  const split = validationSplitOf(job);
  const { data, error, refetch } = useQuery({
    ...examplesQuery(jobRef, { split, page, page_size: EXAMPLES_PER_PAGE }),
    placeholderData: keepPreviousData,
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  const columns = chooseColumns(candidates, job.summary.metadata.best_index);
  const { low, high } = rangeOf(columns);
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        Rows are the examples of the {split === 'train' ? 'training set, which is also the ' : ''}validation
        set; columns are candidates. Click on a candidate to open it.
        {columns.length < candidates.length &&
          ` Of ${formatCount(candidates.length)} candidates, the seed and the best ${formatCount(columns.length - 1)} are shown.`}
      </Text>
      {/* A block that scrolls has to be reachable with the keyboard. */}
      <div className={styles['heat']} tabIndex={0} role="group" aria-label="Scores by example and candidate">
        <table aria-label="Scores by example and candidate">
          <thead>
            <tr>
              <th scope="col">Example</th>
              {columns.map(({ index, mean_score }) => (
                <th key={index} scope="col" data-chosen={index === search.candidate || undefined}>
                  <UnstyledButton
                    fz="xs"
                    ta="center"
                    onClick={() => onChange({ tab: 'candidates', candidate: index, page: undefined })}
                  >
                    <b>#{index}</b>
                    <Text size="xs" c="dimmed">
                      {formatScore(mean_score)}
                    </Text>
                  </UnstyledButton>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.items.map(({ position, input, task_name, row_index }) => (
              <tr key={position}>
                <th scope="row" title={input}>
                  <span className={styles['example']}>
                    {task_name ?? (input || `Row ${row_index ?? position}`)}
                  </span>
                </th>
                {columns.map(({ index, scores }) => (
                  <Cell key={index} score={scores[position]} low={low} high={high} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager
        page={page}
        pageSize={EXAMPLES_PER_PAGE}
        total={data.total}
        onChange={(next) => onChange({ page: next })}
      />
    </Stack>
  );
}

interface CellProps {
  readonly score: number | undefined;
  readonly low: number;
  readonly high: number;
}

/** Red below the middle of all scores, and green above it. */
function Cell({ score, low, high }: CellProps) {
  if (score === undefined) return <td className={styles['cell']}>–</td>;
  const share = (score - low) / (high - low);
  const strength = `${Math.round(Math.abs(share - 0.5) * 140)}%`;
  const style = { '--low': strength, '--high': strength } as CSSProperties;
  return (
    <td className={styles['cell']} data-low={share < 0.5 || undefined} style={style}>
      {formatScore(score)}
    </td>
  );
}

/** All candidates or, of too many, the seed and the best ones. */
function chooseColumns(
  candidates: readonly OptimizationCandidate[],
  best: number | null,
): readonly OptimizationCandidate[] {
  if (candidates.length <= MAX_COLUMNS) return candidates;
  const kept = new Set(
    candidates
      .toSorted((a, b) => b.mean_score - a.mean_score)
      .slice(0, MAX_COLUMNS - 1)
      .map(({ index }) => index),
  );
  return candidates.filter(({ index }) => index === 0 || index === best || kept.has(index));
}

/** Rewards are mostly between 0 and 1, and may be any number. */
function rangeOf(candidates: readonly OptimizationCandidate[]): { low: number; high: number } {
  let [low, high] = [0, 1];
  for (const { scores } of candidates)
    for (const score of scores) {
      low = Math.min(low, score);
      high = Math.max(high, score);
    }
  return { low, high };
}
