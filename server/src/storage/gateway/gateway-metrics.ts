/** How many requests of S3 are answered, how and how fast, by operation: a path would name what it is about. */
import type { ServerResponse } from 'node:http';
import { Histogram } from 'prom-client';
import type { Metrics } from '../../platform/metrics/metrics.ts';

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export class GatewayMetrics {
  private readonly durations: Histogram<'operation' | 'status'>;
  private inFlight = 0;

  constructor(metrics: Metrics) {
    this.durations = new Histogram({
      name: 'drydock_s3_request_duration_seconds',
      help: 'Time from the head of a request to the gateway to the end of its answer; its count is the number of requests.',
      labelNames: ['operation', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [metrics.registry],
    });
    metrics.addGauge({
      name: 'drydock_s3_requests_in_flight',
      help: 'Requests to the gateway that have begun and not ended.',
      read: () => this.inFlight,
    });
  }

  begin(response: ServerResponse): void {
    this.inFlight++;
    response.on('close', this.end);
  }

  private readonly end = () => {
    this.inFlight--;
  };

  /** Without a status where the client left before it was answered. */
  record(operation: string | undefined, status: number | undefined, seconds: number): void {
    this.durations.observe({ operation: operation ?? 'none', status: status ?? 'none' }, seconds);
  }
}
