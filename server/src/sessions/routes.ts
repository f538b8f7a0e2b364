/** Routes of all session operations. */
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import { groupRoutes } from './groups/routes.ts';
import { importRoutes } from './import/routes.ts';
import { metadataRoutes } from './metadata/routes.ts';
import { saveRoutes } from './save/routes.ts';
import type { SessionWriter } from './save/session-writer.ts';
import { searchRoutes } from './search/routes.ts';
import type { SessionIndex } from './search/session-index.ts';
import { trajectoryRoutes } from './trajectory/routes.ts';
import { transcriptRoutes } from './transcript/routes.ts';

export interface SessionsOptions {
  readonly db: Db;
  readonly writer: SessionWriter;
  readonly index: SessionIndex;
}

export function sessionRoutes({ db, writer, index }: SessionsOptions): RouteGroup[] {
  return [
    saveRoutes(writer),
    searchRoutes({ db, index }),
    importRoutes(db),
    groupRoutes(db),
    metadataRoutes(db),
    transcriptRoutes(db),
    trajectoryRoutes(db),
  ];
}
