/** How the training went: the curves of this job and of others, with a crosshair that reads all of them at one step. */
import type { OneTrainingJob, TrainingJobResponse } from '@drydock/sdk';
import { Loader, Stack, Text } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useWhere } from '../../frame/scope.ts';
import { FollowJobs } from '../live.tsx';
import { LOSS } from '../queries.ts';
import type { TrainingSearch } from '../search.ts';
import { hasEnded, nameOf } from '../states.ts';
import styles from '../training.module.css';
import { Chart } from './chart.tsx';
import {
  COLORS,
  type Drawn,
  describeStep,
  labelOf,
  listNames,
  listSteps,
  moveBy,
  nearestIndex,
  toLines,
} from './drawn.ts';
import { CurveTable, ReadOut } from './read-out.tsx';
import { endOf, useAllCurves } from './series.ts';
import { CurvesToolbar, MAX_OVERLAID } from './toolbar.tsx';

const LOSS_HEIGHT = 280;
const HEIGHT = 170;

interface CurvesTabProps {
  readonly job: TrainingJobResponse;
  readonly jobRef: OneTrainingJob;
  readonly search: TrainingSearch;
  readonly onChange: (next: TrainingSearch, options?: { readonly replace: boolean }) => void;
}

export function CurvesTab({ job, search, onChange }: CurvesTabProps) {
  const where = useWhere();
  const others = [...new Set(search.with?.split(','))].filter((id) => id !== job.id).slice(0, MAX_OVERLAID);
  const all = useAllCurves(where, [job.id, ...others]);
  const drawn: readonly Drawn[] = all.map((one, index) => ({
    ...one,
    name: one.job ? nameOf(one.job) : one.id,
    color: COLORS[index % COLORS.length] ?? '',
    end: endOf(one.curves),
  }));
  const names = listNames(drawn);
  const running = all.flatMap(({ id, job: other }) =>
    other && id !== job.id && !hasEnded(other.status) ? [other] : [],
  );
  return (
    <Stack gap="md">
      <CurvesToolbar job={job} others={others} search={search} onChange={onChange} />
      {drawn.map(
        ({ id, error }) =>
          error && (
            <Text key={id} size="sm" role="status" className="user-text">
              The curves of job {id} cannot be shown: {toProblem(error).detail}
            </Text>
          ),
      )}
      {drawn[0]?.curves === undefined && <Loader size="sm" aria-label="Loading" />}
      {drawn[0]?.curves && names.length === 0 && (
        <EmptyState title="No curves yet">
          The first point appears when the trainer has reported its first step.
        </EmptyState>
      )}
      {names.length > 0 && <Charts drawn={drawn} names={names} search={search} />}
      <FollowJobs where={where} jobs={running} />
    </Stack>
  );
}

interface ChartsProps {
  readonly drawn: readonly Drawn[];
  readonly names: readonly string[];
  readonly search: TrainingSearch;
}

function Charts({ drawn, names, search }: ChartsProps) {
  const [step, setStep] = useState<number>();
  const { smoothing = 0, scale } = search;
  const lastStep = Math.max(...drawn.map(({ end }) => end));
  const steps = listSteps(drawn);
  const nearest = (at: number) => steps[nearestIndex(steps, at)];
  const shown = step ?? lastStep;
  const charts = [
    ['Loss', names.filter((name) => name === LOSS || name === 'eval/loss')] as const,
    ...names
      .filter((name) => name !== LOSS && name !== 'eval/loss')
      .map((name) => [labelOf(name), [name]] as const),
  ].filter(([, metrics]) => metrics.length > 0);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = moveBy(event.key, steps, nearestIndex(steps, shown));
    if (target === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    setStep(target);
  };
  return (
    <>
      <ReadOut drawn={drawn} names={names} step={step} shown={shown} />
      <div
        className={styles['charts']}
        role="slider"
        tabIndex={0}
        aria-label="Crosshair of the curves, by step"
        aria-valuemin={steps[0] ?? 0}
        aria-valuemax={lastStep}
        aria-valuenow={shown}
        aria-valuetext={describeStep(drawn, names, shown)}
        onKeyDown={onKeyDown}
      >
        {charts.map(([title, metrics]) => (
          <Chart
            key={title}
            title={title}
            height={title === 'Loss' ? LOSS_HEIGHT : HEIGHT}
            lines={metrics.flatMap((metric) => toLines(drawn, metric, smoothing))}
            lastStep={lastStep}
            isLog={scale === 'log'}
            step={step}
            onPoint={(at) => setStep(at === undefined ? undefined : nearest(at))}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed">
        Point at a chart, or focus the charts and press the arrow keys, to read the values at a step. A dashed
        line with dots is the loss on the evaluation dataset.
        {smoothing > 0 && ' The faint lines are the values before smoothing.'}
      </Text>
      <CurveTable drawn={drawn} names={names} />
    </>
  );
}
