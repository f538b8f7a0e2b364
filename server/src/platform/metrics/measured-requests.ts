/**
 * Measures the requests to one port: how many are in progress, and how long each took, by labels that reveal nothing about their content.
 */
import { Durations, type LabelValue } from './durations.ts';
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
  private readonly durations: Durations;
  private inFlight = 0;

  constructor(metrics: Metrics, options: MeasuredRequestsOptions) {
    this.durations = new Durations(metrics.registry, {
      name: `${options.prefix}_request_duration_seconds`,
      help: options.durationsHelp,
      labelNames: options.labelNames,
      bucketsSeconds: options.bucketsSeconds,
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

  /** Must also be called when the client disconnects, or the response bypasses the framework. */
  end(): void {
    this.inFlight--;
  }

  /** @param labels in the order of their names */
  observe(labels: readonly LabelValue[], seconds: number): void {
    this.durations.observe(labels, seconds);
  }
}
