/** The scores of all candidates by the metric calls that had been made when they were found, and the best score so far. */
import type { OptimizationCandidate } from '@drydock/sdk';
import { Box, Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { formatCount, formatScore } from '../../components/format.ts';
import styles from '../optimization.module.css';
import { FOUND_BY_COLORS, FOUND_BY_LABELS } from '../states.ts';

/** The width until it has been measured. */
const WIDTH = 900;
const HEIGHT = 300;
const LEFT = 44;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 40;
const TICKS = 4;
/** The least width of a number below the chart. */
const PER_TICK = 90;
/** Space between a validation score and the holdout score beside it. */
const BESIDE = 9;

interface ChartProps {
  readonly candidates: readonly OptimizationCandidate[];
  readonly selected: number | undefined;
  /** Metric calls until now, where the line of the best score ends. */
  readonly calls: number;
  readonly onSelect: (index: number) => void;
}

export function ScoreChart({ candidates, selected, calls, onSelect }: ChartProps) {
  const { ref, width: measured } = useElementSize();
  const width = measured || WIDTH;
  const { toX, toY, xTicks, yTicks } = scale(candidates, calls, width);
  const best = candidates.toSorted((a, b) => b.mean_score - a.mean_score || a.index - b.index)[0];
  const summary = best
    ? `${formatCount(candidates.length)} candidates; the best is number ${best.index} with a score of ${formatScore(best.mean_score)}`
    : 'no candidates';
  return (
    <Box ref={ref}>
      <svg
        className={styles['chart']}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Scores by metric calls: ${summary}. The table below has all of them.`}
      >
        {yTicks.map((tick) => (
          <g key={tick}>
            <line className={styles['grid']} x1={LEFT} x2={width - RIGHT} y1={toY(tick)} y2={toY(tick)} />
            <text x={LEFT - 8} y={toY(tick) + 4} textAnchor="end">
              {formatScore(tick)}
            </text>
          </g>
        ))}
        {xTicks.map((tick) => (
          <text key={tick} x={toX(tick)} y={HEIGHT - BOTTOM + 18} textAnchor="middle">
            {formatCount(tick)}
          </text>
        ))}
        <text x={(LEFT + width - RIGHT) / 2} y={HEIGHT - 6} textAnchor="middle">
          Metric calls when the candidate was found
        </text>
        <path className={styles['best']} d={toBestLine(candidates, calls, toX, toY)} />
        {candidates.map((candidate) => (
          <Dots
            key={candidate.index}
            candidate={candidate}
            x={toX(candidate.metric_calls)}
            toY={toY}
            isSelected={candidate.index === selected}
            onSelect={() => onSelect(candidate.index)}
          />
        ))}
      </svg>
      <Legend />
    </Box>
  );
}

interface DotsProps {
  readonly candidate: OptimizationCandidate;
  readonly x: number;
  readonly toY: (score: number) => number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

/** The validation score as a dot, with a ring on the frontier, and the holdout score as a square beside it. */
function Dots({ candidate, x, toY, isSelected, onSelect }: DotsProps) {
  const { index, found_by, mean_score, holdout_score, is_on_frontier } = candidate;
  const y = toY(mean_score);
  const title = `#${index}, ${FOUND_BY_LABELS[found_by].toLowerCase()}: ${formatScore(mean_score)}${
    holdout_score === null ? '' : `, holdout ${formatScore(holdout_score)}`
  }`;
  return (
    <g onClick={onSelect} data-candidate={index}>
      <title>{title}</title>
      {is_on_frontier && <circle className={styles['ring']} cx={x} cy={y} r={9.5} />}
      <circle
        className={styles['dot']}
        data-selected={isSelected || undefined}
        cx={x}
        cy={y}
        r={6}
        fill={dotColor(found_by)}
      />
      {holdout_score !== null && (
        <rect className={styles['holdout']} x={x + BESIDE} y={toY(holdout_score) - 4} width={8} height={8} />
      )}
    </g>
  );
}

const dotColor = (foundBy: OptimizationCandidate['found_by']) =>
  `var(--mantine-color-${FOUND_BY_COLORS[foundBy]}-6)`;

const KINDS = ['seed', 'reflection', 'merge'] as const;

function Legend() {
  const item = (label: string, mark: React.ReactNode) => (
    <Group key={label} gap={6} wrap="nowrap">
      <svg width={20} height={16} aria-hidden>
        {mark}
      </svg>
      <Text size="xs">{label}</Text>
    </Group>
  );
  return (
    <Group gap="md" style={{ rowGap: 2 }} mt={4}>
      {KINDS.map((kind) =>
        item(FOUND_BY_LABELS[kind], <circle cx={10} cy={8} r={5} fill={dotColor(kind)} />),
      )}
      {item('On the frontier', <circle className={styles['ring']} cx={10} cy={8} r={6} />)}
      {item('Holdout', <rect className={styles['holdout']} x={6} y={4} width={8} height={8} />)}
      {item('Best so far', <path className={styles['best']} d="M0 8H20" />)}
    </Group>
  );
}

function scale(candidates: readonly OptimizationCandidate[], calls: number, width: number) {
  const scores = candidates.flatMap(({ mean_score, holdout_score }) => [
    mean_score,
    ...(holdout_score === null ? [] : [holdout_score]),
  ]);
  // Rewards are mostly between 0 and 1, and may be any number.
  const [low, high] = [Math.min(0, ...scores), Math.max(1, ...scores)];
  const last = Math.max(1, calls, ...candidates.map(({ metric_calls }) => metric_calls));
  const step = toStep((last * PER_TICK) / width);
  const toX = (value: number) => LEFT + 14 + (value / last) * (width - LEFT - RIGHT - 34);
  const toY = (score: number) => TOP + (1 - (score - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const xTicks = Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
  const yTicks = Array.from({ length: TICKS + 1 }, (_, index) => low + ((high - low) * index) / TICKS);
  return { toX, toY, xTicks, yTicks };
}

/** @returns the next of 1, 2, 5, 10, 20, … */
function toStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 1;
}

/** Steps: the best score holds until a better candidate is found. */
function toBestLine(
  candidates: readonly OptimizationCandidate[],
  calls: number,
  toX: (calls: number) => number,
  toY: (score: number) => number,
): string {
  let [path, best] = ['', -Infinity];
  for (const { metric_calls, mean_score } of candidates) {
    if (mean_score <= best) continue;
    best = mean_score;
    path += path === '' ? `M${toX(metric_calls)} ${toY(best)}` : `H${toX(metric_calls)}V${toY(best)}`;
  }
  return path === '' ? '' : `${path}H${toX(Math.max(calls, candidates.at(-1)?.metric_calls ?? 0))}`;
}
