/** Routes of runtimes and their sandboxes. */
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import type { McpConnections } from './capabilities/mcp/connections.ts';
import { capabilityRoutes } from './capabilities/routes.ts';
import { configRoutes } from './config/routes.ts';
import { creationRoutes } from './creation/routes.ts';
import { execRoutes } from './exec/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { operationRoutes } from './operation/routes.ts';
import type { RuntimeOperator } from './operator.ts';
import { PortPool } from './ports/port-pool.ts';
import { portRoutes } from './ports/routes.ts';
import { readingRoutes } from './reading/routes.ts';
import { sandboxRoutes } from './sandboxes/routes.ts';
import { terminalRoutes } from './terminals/routes.ts';
import type { TerminalTimings } from './terminals/terminal-socket.ts';

export interface RuntimesOptions {
  readonly db: Db;
  readonly signer: Signer;
  readonly operator: RuntimeOperator;
  readonly connections: McpConnections;
  readonly terminalTimings?: Partial<TerminalTimings> | undefined;
}

export function runtimeRoutes(options: RuntimesOptions): RouteGroup[] {
  const { db, signer, operator, connections, terminalTimings } = options;
  return [
    creationRoutes(db),
    readingRoutes(db, signer),
    configRoutes(db, operator),
    ...capabilityRoutes({ db, operator, connections }),
    ...operationRoutes(db, operator),
    execRoutes({ db, operator }),
    fileRoutes({ db, operator }),
    terminalRoutes({ db, operator, timings: terminalTimings }),
    portRoutes({ db, pool: new PortPool(operator) }),
    sandboxRoutes(db, signer, operator),
  ];
}
