/** One round of load on one URL. */
import autocannon, { type Request } from 'autocannon';
import { cpuSeconds } from './process-usage.ts';

const CONNECTIONS = 32;

export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
}

export interface LoadTarget {
  readonly url: string;
  readonly pid: number;
  readonly headers: Record<string, string>;
  /** Creates each body of a POST; when omitted, the URL is read. */
  readonly makeBody?: () => unknown;
  /** Paths that are read in turn, instead of the URL's own. */
  readonly paths?: readonly string[];
}

export async function load(target: LoadTarget, seconds: number): Promise<Load> {
  const { url, pid, headers, makeBody, paths } = target;
  const cpuBefore = cpuSeconds([pid]);
  const posts = makeBody && {
    headers: { ...headers, 'content-type': 'application/json' },
    requests: [
      {
        method: 'POST' as const,
        setupRequest: (request: Request) => ({ ...request, body: JSON.stringify(makeBody()) }),
      },
    ],
  };
  const gets = paths && { requests: paths.map((path) => ({ method: 'GET' as const, path })) };
  const options = { url, headers, connections: CONNECTIONS, duration: seconds };
  const result = await autocannon({ ...options, ...posts, ...gets });
  const { errors, timeouts, non2xx, requests, latency } = result;
  if (errors + timeouts + non2xx > 0 || result['2xx'] === 0) {
    throw new Error(
      `${url}: ${result['2xx']} good answers, ${non2xx} others, ${errors} errors, ${timeouts} timeouts`,
    );
  }
  return {
    perSecond: requests.total / result.duration,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    cpuMicroseconds: ((cpuSeconds([pid]) - cpuBefore) / requests.total) * 1e6,
  };
}
