/** Requests to one port: how many are under way, and how long each took, by labels that tell nothing of what they were about. */
import { Durations, type LabelValue } from './durations.ts';
import type { Metrics } from './metrics.ts';

export interface MeasuredRequestsOptions {
  /** What the names of both metrics begin with. */
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

  /** Also when the caller hangs up, or the answer is written past the framework. */
  end(): void {
    this.inFlight--;
  }

  /** @param labels in the order of their names */
  observe(labels: readonly LabelValue[], seconds: number): void {
    this.durations.observe(labels, seconds);
  }
}
