import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { getReachedPort } from './exposed-port.ts';
import { type ProxyTools, pass } from './proxy.ts';
import { PortParams } from './schema.ts';

interface PortsOptions extends ProxyTools {
  readonly db: Db;
}

export function portRoutes({ db, ...tools }: PortsOptions) {
  return workspaceRoutes('Runtimes', (on) => {
    on.any(
      '/runtimes/:runtime/ports/:port/*path',
      {
        id: 'reachRuntimePort',
        summary: 'Send a request to a port of a runtime',
        description:
          'Takes GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS, and passes the request on as it is: path, query, body, and the headers but for credentials and cookies. ' +
          'Its answer comes back as it is made, of whatever status and type, without what would speak for this origin, ' +
          'and with `X-Drydock-Port`; what has no such header is answered by the platform. WebSockets too.',
        scope: 'runtimes:write',
        role: 'contributor',
        params: PortParams,
        compatibility: { alias: '/runtimes/:runtime/ports/:port' },
        rateClass: 'ingest',
        returns: 'raw',
        watched: true,
        upgrades: true,
        long: true,
      },
      async ({ scope, params, request, upgrade, signal }) => {
        const reached = await getReachedPort(db, scope, params.runtime, Number(params.port));
        const send = await pass(tools, { request, reached, upgrade, signal });
        return send && Reply.raw(send);
      },
    );
  });
}
