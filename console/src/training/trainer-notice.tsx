import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCountOf } from '../components/format.ts';
import { useWhere } from '../frame/scope.ts';
import { backendsQuery } from './queries.ts';

/** Says how to start a trainer while jobs wait and there is none. */
export function TrainerNotice() {
  const { data } = useQuery(backendsQuery(useWhere()));
  const backend = data?.backends.find(({ trainer_types }) => trainer_types.length > 0);
  if (!data || !backend || backend.available || data.queued_jobs === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      role="status"
      mb="md"
      title={`${formatCountOf(data.queued_jobs, 'job')} ${data.queued_jobs === 1 ? 'waits' : 'wait'} for a trainer`}
    >
      <Text size="sm">{backend.reason}</Text>
    </Alert>
  );
}
