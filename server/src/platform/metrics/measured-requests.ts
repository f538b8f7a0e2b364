/** Requests to one port: how many are under way, and how long each took, by labels that tell nothing of what they were about. */
import type { ServerResponse } from 'node:http';
import { Histogram } from 'prom-client';
import type { Metrics } from './metrics.ts';

export interface MeasuredRequestsOptions<Label extends string> {
  /** What the names of both metrics begin with. */
  readonly prefix: string;
  readonly labelNames: readonly Label[];
  readonly bucketsSeconds: readonly number[];
  readonly durationsHelp: string;
  readonly inFlightHelp: string;
}

export class MeasuredRequests<Label extends string> {
  private readonly durations: Histogram<Label>;
  private inFlight = 0;

  constructor(metrics: Metrics, options: MeasuredRequestsOptions<Label>) {
    this.durations = new Histogram({
      name: `${options.prefix}_request_duration_seconds`,
      help: options.durationsHelp,
      labelNames: [...options.labelNames],
      buckets: [...options.bucketsSeconds],
      registers: [metrics.registry],
    });
    metrics.addGauge({
      name: `${options.prefix}_requests_in_flight`,
      help: options.inFlightHelp,
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

  observe(labels: Readonly<Record<Label, string | number>>, seconds: number): void {
    this.durations.observe(labels, seconds);
  }
}
