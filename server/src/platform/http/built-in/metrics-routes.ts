import { z } from 'zod';
import type { Metrics } from '../../metrics/metrics.ts';
import { userRoutes } from '../operations.ts';

export function metricsRoutes(metrics: Metrics) {
  return userRoutes('Metrics', (on) => {
    on.get(
      '/metrics',
      {
        id: 'getMetrics',
        summary: 'Read the metrics of the server process that responds',
        description: "In Prometheus' text format, for platform admins.",
        scope: 'user:read',
        platformAdmin: true,
        returns: { text: metrics.registry.contentType },
        response: z.string(),
      },
      () => metrics.read(),
    );
  });
}
