/** Success rates as bars: by attack and goal, and the lift of transforms around zero. */
import type { AirtAnalytics, AirtRate } from '@drydock/sdk';
import { Button, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { formatCount, formatPercent } from '../../components/format.ts';
import { AsrBar } from '../figures.tsx';
import styles from '../red-team.module.css';
import { toWords } from '../states.ts';

/** Rows until all are asked for. */
const FIRST_ROWS = 8;

interface RateTableProps {
  readonly label: string;
  readonly rates: readonly AirtRate[];
  readonly toLabel: (name: string) => string;
  readonly onOpen: (name: string) => void;
}

/** The highest rate first. A name leads to its findings. */
export function RateTable({ label, rates, toLabel, onOpen }: RateTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const sorted = rates.toSorted((a, b) => (b.asr ?? -1) - (a.asr ?? -1) || b.n - a.n);
  const shown = showsAll ? sorted : sorted.slice(0, FIRST_ROWS);
  return (
    <>
      <table className={styles['rates']} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Rate and 95 % interval</th>
            <th scope="col">Rate</th>
            <th scope="col">Trials</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((rate) => (
            <tr key={rate.name}>
              <th scope="row">
                <UnstyledButton className={styles['rateName']} onClick={() => onOpen(rate.name)}>
                  {toLabel(rate.name)}
                </UnstyledButton>
              </th>
              <td>
                <AsrBar label={toLabel(rate.name)} rate={rate} />
              </td>
              <td>{formatPercent(rate.asr)}</td>
              <td>{formatCount(rate.n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > FIRST_ROWS && (
        <Button size="compact-xs" variant="default" mt={6} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? `Show the first ${FIRST_ROWS}` : `Show all ${formatCount(sorted.length)}`}
        </Button>
      )}
    </>
  );
}

const formatLift = (lift: number): string =>
  `${lift > 0 ? '+' : lift < 0 ? '−' : '±'}${Math.abs(100 * lift).toFixed(0)} points`;

/** How much more often prompts succeed with a transform than as they are. */
export function TransformLift({ analytics }: { readonly analytics: AirtAnalytics }) {
  const { by_transform, baseline } = analytics;
  const known = by_transform.flatMap((rate) => (rate.lift === null ? [] : { ...rate, lift: rate.lift }));
  if (by_transform.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No transforms were tried.
      </Text>
    );
  if (known.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {baseline.n === 0
          ? 'No prompt was sent without a transform, so there is nothing to compare with. Add the baseline attack without transforms.'
          : 'No trial with a transform has finished.'}
      </Text>
    );
  const widest = Math.max(0.01, ...known.map(({ lift }) => Math.abs(lift)));
  return (
    <table className={styles['rates']} aria-label="Lift of transforms">
      <thead>
        <tr>
          <th scope="col">Transform</th>
          <th scope="col">Lift</th>
          <th scope="col">Points</th>
          <th scope="col">Rate</th>
        </tr>
      </thead>
      <tbody>
        {known
          .toSorted((a, b) => b.lift - a.lift)
          .map(({ name, lift, asr, n }) => (
            <tr key={name}>
              <th scope="row">
                {name
                  .split('→')
                  .map((part) => toWords(part.trim()))
                  .join(' → ')}
              </th>
              <td>
                <div className={styles['lift']} aria-hidden>
                  <div
                    data-negative={lift < 0 || undefined}
                    style={{
                      width: `${(50 * Math.abs(lift)) / widest}%`,
                      left: `${lift < 0 ? 50 - (50 * -lift) / widest : 50}%`,
                    }}
                  />
                </div>
              </td>
              <td>{formatLift(lift)}</td>
              <td>
                {formatPercent(asr)} of {formatCount(n)}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
