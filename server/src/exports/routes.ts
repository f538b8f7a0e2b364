/** Routes of SQL queries and exports. */
import type { LocalFiles } from '../platform/analytics/local-files.ts';
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import type { JobQueue } from '../platform/jobs/queue.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import type { SqlTables } from './asking.ts';
import { exportJobRoutes } from './jobs/routes.ts';
import { queryRoutes } from './query/routes.ts';

export interface SqlOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly sql: SqlTables;
}

export function sqlRoutes(options: SqlOptions): RouteGroup[] {
  return [queryRoutes(options), exportJobRoutes(options)];
}
