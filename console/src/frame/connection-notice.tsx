import { Badge } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isConnectionError } from '../api/query-client.ts';

/** Shown while the server cannot be reached. Pages keep showing what they have read, and update when the server is back. */
export function ConnectionNotice() {
  const cache = useQueryClient().getQueryCache();
  const isLost = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      cache
        .findAll({ fetchStatus: 'fetching' })
        .some(({ state }) => isConnectionError(state.fetchFailureReason)),
  );
  if (!isLost) return null;
  return (
    <Badge color="orange" variant="filled" role="status" autoContrast>
      Connection lost, trying again
    </Badge>
  );
}
