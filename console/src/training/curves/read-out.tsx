/** The values of all curves at a step, and the curves in numbers for people who do not see them. */
import { Table, Text } from '@mantine/core';
import { formatCount } from '../../components/format.ts';
import { formatValue } from '../figures.tsx';
import styles from '../training.module.css';
import { type Drawn, labelOf } from './drawn.ts';
import { type Point, pointAt } from './series.ts';

interface CurveTableProps {
  readonly drawn: readonly Drawn[];
  readonly names: readonly string[];
}

interface ReadOutProps extends CurveTableProps {
  /** The step of the crosshair; undefined while it is hidden. */
  readonly step: number | undefined;
  /** The step whose values are shown. */
  readonly shown: number;
}

const JobName = ({ name, color }: Pick<Drawn, 'name' | 'color'>) => (
  <span className="user-text">
    <span className={styles['swatch']} style={{ background: color }} />
    {name}
  </span>
);

/** Values are as measured, without smoothing. */
export function ReadOut({ drawn, names, step, shown }: ReadOutProps) {
  return (
    <Table.ScrollContainer minWidth={500} type="native">
      <Table verticalSpacing={3} withTableBorder aria-label="Values at a step">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{step === undefined ? 'Last values' : `At step ${formatCount(step)}`}</Table.Th>
            {names.map((metric) => (
              <Table.Th key={metric} ta="right">
                {labelOf(metric)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {drawn.map(({ id, name, color, curves, end }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <JobName name={name} color={color} />
              </Table.Td>
              {names.map((metric) => (
                <Table.Td key={metric} ta="right" className={styles['number']}>
                  {/* Jobs end at different steps. */}
                  {formatValue(pointAt(curves?.[metric], step === undefined ? end : shown, end)?.value)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The text alternative of the charts. */
export function CurveTable({ drawn, names }: CurveTableProps) {
  const rows = names.flatMap((metric) =>
    drawn.flatMap((one) => {
      const points = one.curves?.[metric];
      return points?.length ? [{ ...one, metric, points }] : [];
    }),
  );
  return (
    <details>
      <Text component="summary" size="sm" fw={500} style={{ cursor: 'pointer' }}>
        The curves in numbers
      </Text>
      <Table.ScrollContainer minWidth={600} type="native" mt="xs">
        <Table verticalSpacing={3} withTableBorder aria-label="The curves in numbers">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Curve</Table.Th>
              <Table.Th>Job</Table.Th>
              {['First', 'Last', 'Lowest', 'Highest'].map((label) => (
                <Table.Th key={label} ta="right">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ id, name, color, metric, points }) => (
              <Table.Tr key={`${id}/${metric}`}>
                <Table.Td>{labelOf(metric)}</Table.Td>
                <Table.Td>
                  <JobName name={name} color={color} />
                </Table.Td>
                {toExtremes(points).map((point, index) => (
                  // oxlint-disable-next-line react/no-array-index-key -- the four columns have no other name
                  <Table.Td key={index} ta="right" className={styles['number']}>
                    {formatValue(point.value)}{' '}
                    <Text span size="xs" c="dimmed">
                      step {formatCount(point.step)}
                    </Text>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}

/** First, last, lowest and highest. */
function toExtremes(points: readonly Point[]): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  const lowest = points.reduce((low, point) => (point.value < low.value ? point : low));
  const highest = points.reduce((high, point) => (point.value > high.value ? point : high));
  return [first, last, lowest, highest];
}
