import { z } from 'zod';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { sumSandboxUsage } from '../accounting/usage.ts';
import type { RuntimeOperator } from '../operator.ts';
import { listProviders } from './providers.ts';
import {
  logQuery,
  Sandbox,
  SandboxLogPage,
  SandboxPage,
  SandboxProvider,
  SandboxUsageResponse,
  sandboxParams,
  sandboxQuery,
} from './schema.ts';
import { getSandbox, killSandbox, listLog, listSandboxes } from './store.ts';

export function sandboxRoutes(db: Db, signer: Signer, operator: RuntimeOperator) {
  return orgRoutes('Sandboxes', (on) => {
    const read = { scope: 'runtimes:read', role: 'member' } as const;

    on.get(
      '/sandboxes/usage',
      {
        id: 'getSandboxUsage',
        summary: 'How long your sandboxes of this organization have run',
        description:
          'Those that ended and those that were deleted too. Time in which one was paused does not count.',
        scope: 'usage:read',
        role: 'member',
        response: SandboxUsageResponse,
      },
      ({ scope }) => sumSandboxUsage(db, scope.organizationId, scope.principal.userId),
    );

    on.get(
      '/sandboxes',
      {
        ...read,
        id: 'listSandboxes',
        summary: 'List the sandboxes of the workspaces that you can see, newest first',
        query: sandboxQuery,
        response: SandboxPage,
      },
      ({ scope, query }) => listSandboxes(db, signer, scope, query),
    );

    on.get(
      '/sandboxes/:sandbox_id',
      { ...read, id: 'getSandbox', summary: 'Get a sandbox', params: sandboxParams, response: Sandbox },
      ({ scope, params }) => getSandbox(db, scope, params.sandbox_id),
    );

    on.delete(
      '/sandboxes/:sandbox_id',
      {
        id: 'killSandbox',
        summary: 'End a sandbox',
        description: 'Its owner can, and admins of the organization. The runtime stays, with its disk.',
        scope: 'runtimes:write',
        role: 'member',
        params: sandboxParams,
      },
      ({ scope, params }) => killSandbox(db, operator, scope, params.sandbox_id),
    );

    on.get(
      '/sandboxes/:sandbox_id/logs',
      {
        ...read,
        id: 'listSandboxLogs',
        summary: 'List the log of a sandbox: its events and network requests',
        description: 'From the beginning. Only its owner can.',
        params: sandboxParams,
        query: logQuery,
        response: SandboxLogPage,
      },
      ({ scope, params, query }) => listLog(db, signer, scope, params.sandbox_id, query),
    );

    on.get(
      '/sandbox-providers',
      {
        ...read,
        id: 'listSandboxProviders',
        summary: 'List the providers of sandboxes, as verified on the hosts',
        response: z.array(SandboxProvider),
      },
      () => listProviders(db),
    );
  });
}
