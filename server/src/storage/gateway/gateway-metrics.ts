/** Counts S3 responses and their durations by operation: a path would identify the object. */
import type { ServerResponse } from 'node:http';
import { MeasuredRequests } from '../../platform/metrics/measured-requests.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';

const BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export class GatewayMetrics {
  private readonly requests: MeasuredRequests;

  constructor(metrics: Metrics) {
    this.requests = new MeasuredRequests(metrics, {
      prefix: 'drydock_s3',
      labelNames: ['operation', 'status'],
      bucketsSeconds: BUCKETS_SECONDS,
      durationsHelp:
        'Time from the head of a request to the gateway to the end of its answer; its count is the number of requests.',
      inFlightHelp: 'Requests to the gateway that have begun and not ended.',
    });
  }

  begin(response: ServerResponse): void {
    this.requests.begin();
    response.on('close', () => this.requests.end());
  }

  /** The status is undefined if the client disconnected before the response. */
  record(operation: string | undefined, status: number | undefined, seconds: number): void {
    this.requests.observe([operation ?? 'none', status ?? 'none'], seconds);
  }
}
