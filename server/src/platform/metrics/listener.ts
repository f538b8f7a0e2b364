/** Serves the metrics without a credential to a scraper on the same machine: it listens on the loopback address only. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ApiError } from '../errors.ts';
import type { Metrics } from './metrics.ts';

const LOOPBACK = '127.0.0.1';

/** Returns a function that stops the listener. */
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
