/** All operations on evaluations. */
import type { RouteGroup } from '../platform/http/operations.ts';
import { controlRoutes } from './control/routes.ts';
import type { CreateOptions } from './creation/create.ts';
import { creationRoutes } from './creation/routes.ts';
import { readingRoutes } from './reading/routes.ts';

export function evaluationRoutes(options: CreateOptions): RouteGroup[] {
  return [creationRoutes(options), readingRoutes(options.db), controlRoutes(options)];
}
