/** Pass rate, attack success rate and cost of the versions of a capability, in the order of their publication. */
import type { JourneyVersion } from '@drydock/sdk';
import { Box, Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { formatCountOf, formatPercent, formatUsd } from '../components/format.ts';
import styles from './journey.module.css';

/** The width until it has been measured. */
const WIDTH = 720;
const HEIGHT = 200;
const COST_HEIGHT = 90;
const LEFT = 56;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 24;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Labels of versions that fit beside each other. */
const LABEL_WIDTH = 70;

interface Point {
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly words: string;
}

type Series = readonly (Point | undefined)[];

/** @param versions newest first, as the server returns them */
export function JourneyChart({ versions }: { readonly versions: readonly JourneyVersion[] }) {
  const { ref, width: measured } = useElementSize();
  const width = measured || WIDTH;
  const oldestFirst = versions.toReversed();
  const names = oldestFirst.map(({ version }) => version);
  const scores = oldestFirst.map(toScore);
  const attacks = oldestFirst.map(toAttacks);
  const costs = oldestFirst.map(toCost);
  if ([...scores, ...attacks].every((point) => point === undefined))
    return (
      <Text size="sm" c="dimmed">
        No version on this page was evaluated or attacked in this workspace yet.
      </Text>
    );
  return (
    <Box ref={ref}>
      <Group gap="lg" mb={4}>
        <Legend kind="score">Pass rate</Legend>
        <Legend kind="asr">Attack success rate</Legend>
        <Text size="xs" c="dimmed">
          Latest run of each version; the line is the 95 % interval.
        </Text>
      </Group>
      <Frame
        label={`Pass rates and attack success rates by version, oldest first. ${describe(names, scores)} ${describe(names, attacks)}`}
        width={width}
        height={HEIGHT}
        names={names}
        ticks={TICKS.map((tick) => [tick, formatPercent(tick)])}
      >
        {(toX, toY) => (
          <>
            <Line kind="score" series={scores} toX={toX} toY={toY} offset={-4} />
            <Line kind="asr" series={attacks} toX={toX} toY={toY} offset={4} />
          </>
        )}
      </Frame>
      <Costs names={names} series={costs} width={width} />
    </Box>
  );
}

interface CostsProps {
  readonly names: readonly string[];
  readonly series: Series;
  readonly width: number;
}

function Costs({ names, series, width }: CostsProps) {
  const highest = Math.max(0, ...series.map((point) => point?.value ?? 0));
  // Simulated models cost nothing.
  if (highest === 0)
    return (
      <Text size="xs" c="dimmed" mt="xs">
        No evaluation of these versions had a cost.
      </Text>
    );
  return (
    <>
      <Text size="xs" c="dimmed" mt="xs">
        Cost of a sample of the latest evaluation
      </Text>
      <Frame
        label={`Cost of a sample by version, oldest first. ${describe(names, series)}`}
        width={width}
        height={COST_HEIGHT}
        names={names}
        ticks={[
          [0, '$0'],
          [1, formatUsd(highest)],
        ]}
      >
        {(toX, toY) => (
          <Line kind="cost" series={series} toX={toX} toY={(cost) => toY(cost / highest)} offset={0} />
        )}
      </Frame>
    </>
  );
}

/** The newest evaluation with a result. */
function toScore({ version, evaluations }: JourneyVersion): Point | undefined {
  const found = evaluations.find(({ n }) => n > 0);
  if (!found || found.pass_rate === null) return undefined;
  const { pass_rate: value, pass_rate_interval, n } = found;
  return {
    value,
    low: pass_rate_interval?.low,
    high: pass_rate_interval?.high,
    words: `${version}: ${formatPercent(value)} of ${formatCountOf(n, 'sample')} passed`,
  };
}

/** The newest assessment with a result. */
function toAttacks({ version, assessments }: JourneyVersion): Point | undefined {
  const found = assessments.find(({ n }) => n > 0);
  if (!found || found.asr === null) return undefined;
  const { asr: value, asr_interval, n } = found;
  return {
    value,
    low: asr_interval?.low,
    high: asr_interval?.high,
    words: `${version}: ${formatPercent(value)} of ${formatCountOf(n, 'attack trial')} succeeded`,
  };
}

function toCost({ version, evaluations }: JourneyVersion): Point | undefined {
  const found = evaluations.find(({ n }) => n > 0);
  if (!found) return undefined;
  const value = found.cost_usd / found.n;
  return {
    value,
    words: `${version}: ${formatUsd(value)} for a sample, over ${formatCountOf(found.n, 'sample')}`,
  };
}

const describe = (names: readonly string[], series: Series): string =>
  names.flatMap((_, index) => series[index]?.words ?? []).join('; ');

function Legend({ kind, children }: { readonly kind: string; readonly children: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <svg width={14} height={14} className={styles['mark']} data-kind={kind} aria-hidden>
        <Mark kind={kind} x={7} y={7} />
      </svg>
      <Text size="xs">{children}</Text>
    </Group>
  );
}

interface FrameProps {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly names: readonly string[];
  readonly ticks: readonly (readonly [at: number, label: string])[];
  readonly children: (toX: (index: number) => number, toY: (share: number) => number) => React.ReactNode;
}

/** The grid with the versions below it. */
function Frame({ label, width, height, names, ticks, children }: FrameProps) {
  const step = (width - LEFT - RIGHT) / names.length;
  const toX = (index: number) => LEFT + step * (index + 0.5);
  const toY = (share: number) => TOP + (1 - share) * (height - TOP - BOTTOM);
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  return (
    <svg className={styles['chart']} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {ticks.map(([at, text]) => (
        <g key={at}>
          <line className={styles['grid']} x1={LEFT} x2={width - RIGHT} y1={toY(at)} y2={toY(at)} />
          <text x={LEFT - 8} y={toY(at) + 4} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {names.map((name, index) =>
        (names.length - 1 - index) % every === 0 ? (
          <text key={name} x={toX(index)} y={height - 6} textAnchor="middle">
            {name}
          </text>
        ) : null,
      )}
      {children(toX, toY)}
    </svg>
  );
}

interface LineProps {
  readonly kind: 'score' | 'asr' | 'cost';
  readonly series: Series;
  readonly toX: (index: number) => number;
  readonly toY: (value: number) => number;
  /** Keeps the marks of two series apart. */
  readonly offset: number;
}

function Line({ kind, series, toX, toY, offset }: LineProps) {
  const points = series.flatMap((point, index) =>
    point ? [{ ...point, x: toX(index) + offset, y: toY(point.value) }] : [],
  );
  return (
    <g className={styles['mark']} data-kind={kind}>
      {points.length > 1 && <path d={`M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`} />}
      {points.map(({ x, y, low, high, words }) => (
        <g key={words}>
          <title>{words}</title>
          {low !== undefined && high !== undefined && <line x1={x} x2={x} y1={toY(low)} y2={toY(high)} />}
          <Mark kind={kind} x={x} y={y} />
        </g>
      ))}
    </g>
  );
}

/** Shapes tell the series apart where colours do not. */
const Mark = ({ kind, x, y }: { readonly kind: string; readonly x: number; readonly y: number }) =>
  kind === 'asr' ? <rect x={x - 4} y={y - 4} width={8} height={8} /> : <circle cx={x} cy={y} r={4.5} />;
