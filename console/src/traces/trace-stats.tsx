/** Totals of a trace, by type of span and by model. */
import type { OneTrace, TraceStats as Stats } from '@drydock/sdk';
import { Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FactList } from '../components/fact-list.tsx';
import { formatCompact, formatCount, formatDuration, formatUsd } from '../components/format.ts';
import styles from './trace.module.css';

export function TraceStats({ where }: { readonly where: OneTrace }) {
  const { data, error } = useQuery({
    queryKey: ['trace-stats', where],
    queryFn: async ({ signal }) => drydock.traces.stats(where, { signal }),
  });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Skeleton h={200} />;
  return (
    <Stack gap="md">
      <Title order={2} size="h5">
        Summary
      </Title>
      <FactList
        facts={[
          ['Duration', formatDuration(data.duration_ms)],
          ['Spans', formatCount(data.span_count)],
          ['Errors', formatCount(data.error_count)],
          ['Input tokens', formatCount(data.input_tokens)],
          [
            'Cached tokens',
            data.cache_read_input_tokens > 0 ? formatCount(data.cache_read_input_tokens) : null,
          ],
          ['Output tokens', formatCount(data.output_tokens)],
          ['Cost', formatUsd(data.cost_usd)],
        ]}
      />
      <ByType types={data.by_type} />
      {data.by_model.length > 0 && <ByModel models={data.by_model} />}
    </Stack>
  );
}

function ByType({ types }: { readonly types: Stats['by_type'] }) {
  return (
    <table className={styles['stats']}>
      <thead>
        <tr>
          <th>Type</th>
          <th>Spans</th>
          <th>Errors</th>
          <th>Median</th>
          <th>95 %</th>
          <th>Total</th>
        </tr>
      </thead>
      <tbody>
        {types.map((type) => (
          <tr key={type.span_type}>
            <td>
              <span
                className={styles['dot']}
                data-type={type.span_type}
                style={{ display: 'inline-block' }}
              />{' '}
              {type.span_type}
            </td>
            <td>{formatCount(type.span_count)}</td>
            <td>{formatCount(type.error_count)}</td>
            <td>{formatDuration(type.p50_duration_ms)}</td>
            <td>{formatDuration(type.p95_duration_ms)}</td>
            <td>{formatDuration(type.total_duration_ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ByModel({ models }: { readonly models: Stats['by_model'] }) {
  return (
    <table className={styles['stats']}>
      <thead>
        <tr>
          <th>Model</th>
          <th>Calls</th>
          <th>Errors</th>
          <th>Tokens</th>
          <th>Cost</th>
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <tr key={model.model}>
            <td>{model.model}</td>
            <td>{formatCount(model.span_count)}</td>
            <td>{formatCount(model.error_count)}</td>
            <td>{formatCompact(model.input_tokens + model.output_tokens)}</td>
            <td>{formatUsd(model.cost_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
