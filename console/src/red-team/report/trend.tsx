/** The success rates of a project's assessments over time, with their intervals. */
import type { AirtTrendPoint } from '@drydock/sdk';
import { Box, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatAgo, formatCountOf, formatPercent } from '../../components/format.ts';
import { useWhere } from '../../frame/scope.ts';
import { describeInterval } from '../figures.tsx';
import { summaryQuery } from '../queries.ts';
import styles from '../red-team.module.css';

/** The width until it has been measured. */
const WIDTH = 480;
const HEIGHT = 190;
const LEFT = 42;
const RIGHT = 14;
const TOP = 10;
const BOTTOM = 24;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

interface TrendProps {
  readonly projectId: string;
  /** The assessment that the page shows, which is marked. */
  readonly current: string;
}

export function Trend({ projectId, current }: TrendProps) {
  const where = useWhere();
  const { data } = useQuery(summaryQuery(where, projectId));
  const points = (data?.trend ?? []).filter(({ success }) => success.asr !== null);
  if (!data) return null;
  if (points.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No assessment of the project has ended yet.
      </Text>
    );
  return <TrendChart points={points} current={current} />;
}

interface TrendChartProps {
  readonly points: readonly AirtTrendPoint[];
  readonly current: string;
}

function TrendChart({ points, current }: TrendChartProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const { ref, width: measured } = useElementSize();
  const width = measured || WIDTH;
  const inner = width - LEFT - RIGHT;
  const toX = (index: number) => LEFT + (inner * (index + 0.5)) / points.length;
  const toY = (rate: number) => TOP + (1 - rate) * (HEIGHT - TOP - BOTTOM);
  const open = (assessmentId: string) =>
    void navigate({ to: '/o/$org/w/$workspace/red-team/$assessmentId', params: { ...where, assessmentId } });
  const line = points.map(({ success }, index) => `${toX(index)} ${toY(success.asr ?? 0)}`).join('L');
  const last = points.at(-1);
  return (
    <Box ref={ref}>
      <svg
        className={styles['chart']}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Success rates of ${formatCountOf(points.length, 'assessment')}, oldest first; the latest is ${formatPercent(last?.success.asr)}. The list of assessments has all of them.`}
      >
        {TICKS.map((tick) => (
          <g key={tick}>
            <line className={styles['grid']} x1={LEFT} x2={width - RIGHT} y1={toY(tick)} y2={toY(tick)} />
            <text x={LEFT - 8} y={toY(tick) + 4} textAnchor="end">
              {formatPercent(tick)}
            </text>
          </g>
        ))}
        <path className={styles['trendLine']} d={`M${line}`} />
        {points.map((point, index) => (
          <TrendMark
            key={point.assessment_id}
            point={point}
            x={toX(index)}
            toY={toY}
            isCurrent={point.assessment_id === current}
            onOpen={() => open(point.assessment_id)}
          />
        ))}
        <text x={LEFT} y={HEIGHT - 6}>
          {formatAgo(points[0]?.completed_at)}
        </text>
        {points.length > 1 && (
          <text x={width - RIGHT} y={HEIGHT - 6} textAnchor="end">
            {formatAgo(last?.completed_at)}
          </text>
        )}
      </svg>
    </Box>
  );
}

interface TrendMarkProps {
  readonly point: AirtTrendPoint;
  readonly x: number;
  readonly toY: (rate: number) => number;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

function TrendMark({ point, x, toY, isCurrent, onOpen }: TrendMarkProps) {
  const { name, target_model, success } = point;
  const { interval } = success;
  return (
    <g className={styles['mark']} data-current={isCurrent || undefined} onClick={onOpen}>
      <title>
        {`${name}${target_model ? ` (${target_model})` : ''}: ${formatPercent(success.asr)}${interval ? `, 95 % interval ${describeInterval({ interval })}` : ''}${isCurrent ? ' (this assessment)' : ''}`}
      </title>
      {interval && <line x1={x} x2={x} y1={toY(interval.low)} y2={toY(interval.high)} />}
      <circle cx={x} cy={toY(success.asr ?? 0)} r={isCurrent ? 6 : 4.5} />
    </g>
  );
}
