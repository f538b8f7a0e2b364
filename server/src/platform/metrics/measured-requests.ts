/** Requests to one port: how many are under way, and how long each took, by labels that hold no content. */
import { Histogram } from 'prom-client';
import type { Metrics } from './metrics.ts';

export interface MeasuredRequestsOptions {
  /** Prefix of the names of both metrics. */
  readonly prefix: string;
  readonly labelNames: readonly string[];
  readonly bucketsSeconds: readonly number[];
  readonly durationsHelp: string;
  readonly inFlightHelp: string;
}

export class MeasuredRequests {
  private readonly durations: Histogram;
  private inFlight = 0;

  constructor(metrics: Metrics, options: MeasuredRequestsOptions) {
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

  begin(): void {
    this.inFlight++;
  }

  /** Called also when the client disconnects, or the response is written past the framework. */
  end(): void {
    this.inFlight--;
  }

  /** @param labels in the order of their names */
  observe(labels: readonly (string | number)[], seconds: number): void {
    this.durations.labels(...labels.map(String)).observe(seconds);
  }
}
