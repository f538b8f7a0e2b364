/** The query cache, which holds everything that pages read. */
import { isDrydockError } from '@drydock/sdk';
import { QueryClient } from '@tanstack/react-query';

const RETRY_MS = 2_000;
const FRESH_MS = 5_000;

/** The server cannot be reached, for example while it restarts. Such a query is retried without end. */
export const isConnectionError = (error: unknown): boolean =>
  isDrydockError(error) &&
  (error.type === 'connection_error' || error.status === 502 || error.status === 504);

/** The server limits the rate of requests. */
const isRateLimited = (error: unknown): boolean => isDrydockError(error) && error.status === 429;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always',
      retry: (failures, error) => isConnectionError(error) || (isRateLimited(error) && failures < 5),
      retryDelay: (_failures, error) =>
        (isDrydockError(error) && error.retryAfterSeconds ? error.retryAfterSeconds * 1_000 : RETRY_MS) *
        (1 + Math.random() / 2),
    },
    mutations: { networkMode: 'always' },
  },
});
