/** One chart: the curves of a metric by step, with the crosshair that all charts share. */
import { Box, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { memo, type PointerEvent } from 'react';
import { formatCount } from '../../components/format.ts';
import { formatValue } from '../figures.tsx';
import styles from '../training.module.css';
import type { Line } from './drawn.ts';
import { type Axis, stepAxis, valueAxis } from './scale.ts';
import { type Point, pointAt } from './series.ts';

/** The width until it has been measured. */
const WIDTH = 600;
const LEFT = 56;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 24;

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly lastStep: number;
  readonly isLog: boolean;
  readonly height: number;
  /** The step of the crosshair. */
  readonly step: number | undefined;
  /** Called with the step below the pointer, which may be between two points. */
  readonly onPoint: (step: number | undefined) => void;
}

export function Chart({ title, lines, lastStep, isLog, height, step, onPoint }: ChartProps) {
  const { ref, width: measured } = useElementSize();
  const width = measured || WIDTH;
  const x = stepAxis({ from: 0, to: lastStep }, { from: LEFT, to: width - RIGHT });
  const drawn = lines.flatMap(({ raw, points }) => raw ?? points);
  const y = valueAxis(drawn, isLog, { from: height - BOTTOM, to: TOP });
  const point = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const at = clientX - currentTarget.getBoundingClientRect().left;
    onPoint(((at - LEFT) / (width - LEFT - RIGHT)) * Math.max(1, lastStep));
  };
  return (
    <Box miw={0}>
      <Text size="xs" fw={600} mb={2}>
        {title}
      </Text>
      <Box ref={ref}>
        <svg
          className={styles['chart']}
          viewBox={`0 0 ${width} ${height}`}
          aria-hidden
          data-chart={title}
          onPointerMove={point}
          onPointerLeave={() => onPoint(undefined)}
        >
          <Axes x={x} y={y} width={width} height={height} />
          {lines.map((line) => (
            <LinePath key={line.key} line={line} width={width} height={height} x={x} y={y} isLog={isLog} />
          ))}
          {step !== undefined && (
            <Crosshair lines={lines} step={step} x={x} y={y} height={height} isLog={isLog} />
          )}
        </svg>
      </Box>
    </Box>
  );
}

interface AxesProps {
  readonly x: Axis;
  readonly y: Axis;
  readonly width: number;
  readonly height: number;
}

const Axes = ({ x, y, width, height }: AxesProps) => (
  <>
    {y.ticks.map((tick) => (
      <g key={tick}>
        <line
          className={styles['grid']}
          x1={LEFT}
          x2={width - RIGHT}
          y1={y.toPixel(tick)}
          y2={y.toPixel(tick)}
        />
        <text x={LEFT - 8} y={y.toPixel(tick) + 4} textAnchor="end">
          {formatValue(tick)}
        </text>
      </g>
    ))}
    {x.ticks.map((tick) => (
      <text key={tick} x={x.toPixel(tick)} y={height - BOTTOM + 16} textAnchor="middle">
        {formatCount(tick)}
      </text>
    ))}
  </>
);

interface LinePathProps extends AxesProps {
  readonly line: Line;
  readonly isLog: boolean;
}

/** Moving the crosshair does not draw the lines again: several jobs have ten thousands of points. */
const LinePath = memo(
  function LinePath({ line, x, y, isLog }: LinePathProps) {
    const { color, points, raw, isSparse } = line;
    const isDrawn = ({ value }: Point) => !isLog || value > 0;
    // A single point has no line.
    const hasDots = isSparse || points.length === 1;
    return (
      <g stroke={color} fill={color}>
        {raw && <path className={styles['raw']} d={toPath(raw, x, y, isDrawn)} />}
        <path
          className={styles['line']}
          d={toPath(points, x, y, isDrawn)}
          strokeDasharray={isSparse ? '5 3' : undefined}
        />
        {hasDots &&
          points
            .filter(isDrawn)
            .map(({ step, value }) => (
              <circle key={step} cx={x.toPixel(step)} cy={y.toPixel(value)} r={2.5} stroke="none" />
            ))}
      </g>
    );
  },
  (before, after) =>
    before.line.points === after.line.points &&
    before.line.raw === after.line.raw &&
    before.line.color === after.line.color &&
    before.isLog === after.isLog &&
    before.width === after.width &&
    before.height === after.height &&
    isSameAxis(before.x, after.x) &&
    isSameAxis(before.y, after.y),
);

/** Both kinds of axes are defined by the positions of two values. */
const isSameAxis = (a: Axis, b: Axis): boolean =>
  a.toPixel(1) === b.toPixel(1) && a.toPixel(2) === b.toPixel(2);

function toPath(points: readonly Point[], x: Axis, y: Axis, isDrawn: (point: Point) => boolean): string {
  let [path, isPenDown] = ['', false];
  for (const point of points) {
    if (isDrawn(point))
      path += `${isPenDown ? 'L' : 'M'}${x.toPixel(point.step).toFixed(1)} ${y.toPixel(point.value).toFixed(1)}`;
    isPenDown = isDrawn(point);
  }
  return path;
}

interface CrosshairProps extends Omit<AxesProps, 'width'> {
  readonly lines: readonly Line[];
  readonly step: number;
  readonly isLog: boolean;
}

function Crosshair({ lines, step, x, y, height, isLog }: CrosshairProps) {
  const at = x.toPixel(step);
  return (
    <>
      <line className={styles['crosshair']} x1={at} x2={at} y1={TOP} y2={height - BOTTOM} />
      {lines.map(({ key, color, points, end }) => {
        const point = pointAt(points, step, end);
        if (!point || (isLog && point.value <= 0)) return null;
        return (
          <circle
            key={key}
            className={styles['mark']}
            cx={x.toPixel(point.step)}
            cy={y.toPixel(point.value)}
            r={4}
            fill={color}
          />
        );
      })}
    </>
  );
}
