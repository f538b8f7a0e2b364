/** How many requests are answered, how and how fast, by the pattern of their route: a path would name what it is about. */
import type { ServerResponse } from 'node:http';
import { Histogram } from 'prom-client';
import type { Metrics } from './metrics.ts';

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface AnsweredRequest {
  readonly method: string;
  /** The pattern; undefined where no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

export class RequestMetrics {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;
  private inFlight = 0;

  constructor(metrics: Metrics) {
    this.durations = new Histogram({
      name: 'drydock_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer; its count is the number of requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [metrics.registry],
    });
    metrics.addGauge({
      name: 'drydock_http_requests_in_flight',
      help: 'Requests that have begun and not ended, open event streams among them.',
      read: () => this.inFlight,
    });
  }

  begin(response: ServerResponse): void {
    this.inFlight++;
    // Also when the caller hangs up, or the answer is written past the framework.
    response.on('close', this.end);
  }

  private readonly end = () => {
    this.inFlight--;
  };

  record({ method, route = 'none', status, seconds }: AnsweredRequest): void {
    this.durations.observe({ method, route, status }, seconds);
  }
}
