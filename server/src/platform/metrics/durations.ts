/**
 * A histogram for values that are measured with every request: prom-client's own builds a text of the labels for each value, which takes
 * ten times as long.
 */
import type { Metric, Registry } from 'prom-client';

export type LabelValue = string | number;

interface DurationsOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly bucketsSeconds: readonly number[];
}

interface Series {
  readonly labels: Readonly<Record<string, LabelValue>>;
  /** Number of values up to each bound and above the previous one; the last bucket has no bound. */
  readonly counts: number[];
  sum: number;
}

/** A tree of label values: the first level is the first label, and so on. */
type Branch = Map<LabelValue, Branch | Series>;

export class Durations {
  private readonly options: DurationsOptions;
  private readonly root: Branch = new Map();
  private readonly all: Series[] = [];

  constructor(registry: Registry, options: DurationsOptions) {
    this.options = options;
    const { name, help } = options;
    const type = 'histogram';
    const get = async () => ({ name, help, type, values: this.all.flatMap((one) => this.valuesOf(one)) });
    // Its type names prom-client's classes; a registry uses only these two members.
    registry.registerMetric({ name, get } as unknown as Metric);
  }

  /** @param labels in the order of their names */
  observe(labels: readonly LabelValue[], seconds: number): void {
    const series = this.seriesOf(labels);
    const { bucketsSeconds } = this.options;
    let bucket = 0;
    while (bucket < bucketsSeconds.length && seconds > (bucketsSeconds[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  private seriesOf(labels: readonly LabelValue[]): Series {
    const last = labels.length - 1;
    let branch = this.root;
    for (let index = 0; index < last; index++) {
      const value = labels[index] as LabelValue;
      let next = branch.get(value) as Branch | undefined;
      if (!next) branch.set(value, (next = new Map()));
      branch = next;
    }
    const value = labels[last] as LabelValue;
    const known = branch.get(value) as Series | undefined;
    if (known) return known;
    const { labelNames, bucketsSeconds } = this.options;
    const series: Series = {
      labels: Object.fromEntries(labelNames.map((name, index) => [name, labels[index] as LabelValue])),
      counts: Array.from({ length: bucketsSeconds.length + 1 }, () => 0),
      sum: 0,
    };
    branch.set(value, series);
    this.all.push(series);
    return series;
  }

  private valuesOf({ labels, counts, sum }: Series) {
    const { name, bucketsSeconds } = this.options;
    let count = 0;
    const buckets = [...bucketsSeconds, '+Inf'].map((le, index) => {
      count += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
