/** Counts requests and their durations by route pattern: a path would reveal what a request is about. */
import { MeasuredRequests } from './measured-requests.ts';
import type { Metrics } from './metrics.ts';

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface CompletedRequest {
  readonly method: string;
  /** The route pattern; undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

export class RequestMetrics {
  private readonly requests: MeasuredRequests;

  constructor(metrics: Metrics) {
    this.requests = new MeasuredRequests(metrics, {
      prefix: 'drydock_http',
      labelNames: ['method', 'route', 'status'],
      bucketsSeconds: BUCKETS_SECONDS,
      durationsHelp:
        'Time from the head of a request to the end of its answer; its count is the number of requests.',
      inFlightHelp: 'Requests that have begun and not ended, open event streams among them.',
    });
  }

  begin(): void {
    this.requests.begin();
  }

  end(): void {
    this.requests.end();
  }

  record({ method, route = 'none', status, seconds }: CompletedRequest): void {
    this.requests.observe([method, route, status], seconds);
  }
}
