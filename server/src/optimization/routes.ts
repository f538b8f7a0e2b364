/** All operations on optimization jobs. */
import type { RouteGroup } from '../platform/http/operations.ts';
import { controlRoutes } from './control/routes.ts';
import type { CreateOptions } from './creation/create.ts';
import { creationRoutes } from './creation/routes.ts';
import { resultRoutes } from './reading/result-routes.ts';
import { readingRoutes } from './reading/routes.ts';
import type { ShowJob } from './schema.ts';

export interface OptimizationOptions extends CreateOptions {
  /** Responses say `gepa` instead of `optimizer_a`. */
  readonly vendorWords: boolean;
}

export function optimizationRoutes({ vendorWords, ...options }: OptimizationOptions): RouteGroup[] {
  const show: ShowJob = (job) => (vendorWords ? { ...job, backend: 'gepa' } : job);
  return [
    creationRoutes(options, show),
    readingRoutes(options, show),
    resultRoutes(options),
    controlRoutes(options, show),
  ];
}
