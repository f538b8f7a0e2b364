/** All operations on runtimes and their sandboxes. */
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import { configRoutes } from './config/routes.ts';
import { creationRoutes } from './creation/routes.ts';
import { execRoutes } from './exec/routes.ts';
import { fileRoutes } from './files/routes.ts';
import type { RuntimeOperator } from './lifecycle/operator.ts';
import { operationRoutes } from './operation/routes.ts';
import { readingRoutes } from './reading/routes.ts';
import { sandboxRoutes } from './sandboxes/routes.ts';

export interface RuntimesOptions {
  readonly db: Db;
  readonly signer: Signer;
  readonly operator: RuntimeOperator;
}

export function runtimeRoutes({ db, signer, operator }: RuntimesOptions): RouteGroup[] {
  return [
    creationRoutes(db),
    readingRoutes(db, signer),
    configRoutes(db),
    ...operationRoutes(db, operator),
    execRoutes({ db, operator }),
    fileRoutes({ db, operator }),
    sandboxRoutes(db, signer, operator),
  ];
}
