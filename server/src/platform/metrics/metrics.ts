/** The metrics of a process, in the text format of Prometheus. Each application has its own; none is global. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { Gauge, Registry } from 'prom-client';
import { ApiError } from '../errors.ts';
import type { Log } from '../log.ts';

export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Readings = number | readonly Reading[];

export interface GaugeOptions {
  /** Begins with `drydock_` and ends with the unit, if there is one, as in `_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Called whenever the metrics are read, and at no other time. */
  readonly read: () => Readings | Promise<Readings>;
}

/** A scraper polls every few seconds and times out after ten: one slow gauge must not cost it all the others. */
const READ_TIMEOUT_MS = 2_000;

export class Metrics {
  readonly registry = new Registry();
  private readonly log: Log;

  constructor(log: Log) {
    this.log = log;
  }

  addGauge({ name, help, labelNames = [], read }: GaugeOptions): void {
    const { log } = this;
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [],
      async collect() {
        try {
          const readings = await withinTime(read());
          this.reset();
          if (typeof readings === 'number') this.set(readings);
          else for (const { labels, value } of readings) this.set(labels, value);
        } catch (error) {
          // No value at all: neither an old one nor zero would be true.
          this.reset();
          if (labelNames.length === 0) this.remove();
          log.warn({ err: error, metric: name }, 'a metric could not be read');
        }
      },
    });
    this.registry.registerMetric(gauge);
  }

  /** Sums the current values of a gauge over all its labels; undefined if there is no gauge with that name. */
  async valueOf(name: string): Promise<number | undefined> {
    const read = await this.registry.getSingleMetric(name)?.get();
    return read?.values.reduce((sum, { value }) => sum + value, 0);
  }

  /** Returns all metrics as text. */
  read(): Promise<string> {
    return this.registry.metrics();
  }
}

async function withinTime<T>(reading: T | Promise<T>): Promise<T> {
  if (!(reading instanceof Promise)) return reading;
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(
    () => timer.reject(new Error(`no reading within ${READ_TIMEOUT_MS} ms`)),
    READ_TIMEOUT_MS,
  );
  try {
    return await Promise.race([reading, timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}

const LOOPBACK = '127.0.0.1';

/**
 * Serves the metrics without a credential to a scraper on the same machine: it listens on the loopback address only.
 * @returns a function that stops the listener
 */
export async function listenForScrapes(metrics: Metrics, port: number): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end('Only GET /metrics is here.\n');
      return;
    }
    metrics.read().then(
      (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end('The metrics could not be read.\n'),
    );
  });
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ApiError(
      'configuration_error',
      `The metrics cannot be served on ${LOOPBACK}:${port} (${(cause as Error).message}); choose another port with DRYDOCK_METRICS_PORT.`,
      { cause },
    );
  }
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
