/** Results by tag, difficulty and task, pass@k, how agents stopped, and how long they took. */
import type { EvaluationAnalyticsResponse, EvaluationTaskResult } from '@drydock/sdk';
import { SimpleGrid, Table, Text } from '@mantine/core';
import {
  formatCompact,
  formatCount,
  formatCountOf,
  formatDuration,
  formatPercent,
  formatUsd,
} from '../../components/format.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { Figure, RateBar } from '../figures.tsx';

export function Analytics({ analytics }: { readonly analytics: EvaluationAnalyticsResponse }) {
  const { by_tag, by_difficulty, by_task, pass_at_k, stop_reasons } = analytics;
  const stops = Object.entries(stop_reasons);
  const stopped = Math.max(
    1,
    stops.reduce((sum, [, count]) => sum + count, 0),
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Contamination analytics={analytics} />
      <Rates title="By tag" rows={by_tag} nameOf={({ tag }) => tag} />
      <Rates title="By difficulty" rows={by_difficulty} nameOf={({ difficulty }) => difficulty} />
      <Rates title="By task" rows={by_task} nameOf={({ task_name }) => task_name} />
      <SectionCard title="pass@k" hint="The probability that at least one of k samples of a task passes.">
        <Bars
          label="pass@k"
          rows={Object.entries(pass_at_k).map(([k, rate]) => ({
            name: `pass@${k}`,
            rate,
            interval: null,
            text: formatPercent(rate),
          }))}
        />
      </SectionCard>
      <SectionCard title="Stop reasons">
        <Bars
          label="Stop reasons"
          rows={stops.map(([name, count]) => ({
            name: name.replaceAll('_', ' '),
            rate: count / stopped,
            interval: null,
            text: formatCount(count),
          }))}
        />
      </SectionCard>
      <SectionCard title="Cost and duration">
        <SimpleGrid cols={3} spacing="sm">
          <Figure label="Duration, median">{formatDuration(analytics.durations_ms.p50)}</Figure>
          <Figure label="Duration, p95">{formatDuration(analytics.durations_ms.p95)}</Figure>
          <Figure label="Turns, median">{analytics.turns.p50 ?? '–'}</Figure>
          <Figure label="Cost">{formatUsd(analytics.cost_usd)}</Figure>
          <Figure label="Cost per sample">{formatUsd(analytics.cost_per_sample_usd)}</Figure>
          <Figure label="Turns, p95">{analytics.turns.p95 ?? '–'}</Figure>
          <Figure label="Input tokens">{formatCompact(analytics.tokens.input)}</Figure>
          <Figure label="Output tokens">{formatCompact(analytics.tokens.output)}</Figure>
          <Figure label="Cached tokens">{formatCompact(analytics.tokens.cache_read)}</Figure>
        </SimpleGrid>
      </SectionCard>
    </SimpleGrid>
  );
}

/** The pass rate with and without samples whose task or row has shaped what is measured. */
function Contamination({ analytics }: { readonly analytics: EvaluationAnalyticsResponse }) {
  const { contaminated_count, uncontaminated } = analytics;
  if (contaminated_count === 0) return null;
  const toRow = (name: string, rates: EvaluationAnalyticsResponse['uncontaminated']) => ({
    name,
    rate: rates.pass_rate,
    interval: rates.pass_rate_interval,
    text: describe({
      passed: rates.passed_count,
      failed: rates.failed_count,
      errors: rates.error_count,
      pass_rate: rates.pass_rate,
    }),
  });
  return (
    <SectionCard
      title="Contamination"
      hint={`${formatCountOf(contaminated_count, 'sample')} of ${formatCount(analytics.total_samples)} ran on a task or row that the model or capability was trained or optimized on.`}
    >
      <Bars
        label="Contamination"
        rows={[toRow('All samples', analytics), toRow('Without contaminated ones', uncontaminated)]}
      />
    </SectionCard>
  );
}

type Results = Pick<EvaluationTaskResult, 'passed' | 'failed' | 'errors' | 'pass_rate'>;

interface RatesProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
}

function Rates<Row extends Omit<EvaluationTaskResult, 'task_name'>>({
  title,
  rows,
  nameOf,
}: RatesProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <SectionCard title={title} hint="The line is the 95 % interval of the rate.">
      <Bars
        label={title}
        rows={rows.map((row) => ({
          name: nameOf(row),
          rate: row.pass_rate,
          interval: row.pass_rate_interval,
          text: describe(row),
        }))}
      />
    </SectionCard>
  );
}

function describe({ passed, failed, errors, pass_rate }: Results): string {
  const rate = `${formatPercent(pass_rate)} of ${formatCount(passed + failed)}`;
  return errors > 0 ? `${rate}, ${formatCount(errors)} could not run` : rate;
}

interface BarRow {
  readonly name: string;
  readonly rate: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly text: string;
}

function Bars({ label, rows }: { readonly label: string; readonly rows: readonly BarRow[] }) {
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No results yet.
      </Text>
    );
  return (
    <Table
      aria-label={label}
      verticalSpacing={4}
      horizontalSpacing="xs"
      withRowBorders={false}
      layout="fixed"
    >
      <Table.Tbody>
        {rows.map(({ name, rate, interval, text }) => (
          <Table.Tr key={name}>
            <Table.Th w="34%" fw={400} scope="row">
              <Text size="sm" className="user-text">
                {name}
              </Text>
            </Table.Th>
            <Table.Td>
              <RateBar label={name} rate={rate} interval={interval} />
            </Table.Td>
            <Table.Td w={130}>
              <Text size="xs">{text}</Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
