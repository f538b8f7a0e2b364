/** All operations on evaluations. */
import type { RouteGroup } from '../platform/http/operations.ts';
import { controlRoutes } from './control/routes.ts';
import type { CreateOptions } from './creation/create.ts';
import { creationRoutes } from './creation/routes.ts';
import { itemRoutes } from './reading/item-routes.ts';
import { readingRoutes } from './reading/routes.ts';
import { searchRoutes } from './search/routes.ts';

export function evaluationRoutes(options: CreateOptions): RouteGroup[] {
  const { db } = options;
  return [
    creationRoutes(options),
    readingRoutes(db),
    itemRoutes(db),
    searchRoutes(db),
    controlRoutes(options),
  ];
}
