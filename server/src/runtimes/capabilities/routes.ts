import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { getOwnTarget, getRuntime } from '../lookup.ts';
import type { RuntimeOperator } from '../operator.ts';
import { RuntimeParams } from '../schema.ts';
import { listBindings, toBinding } from './bindings.ts';
import { installCapability, uninstallCapability, updateBinding } from './installing.ts';
import type { McpConnections } from './mcp/connections.ts';
import { mcpRoutes } from './mcp/routes.ts';
import {
  BindingParams,
  InstallCapabilityRequest,
  RuntimeCapabilityBinding,
  RuntimeCapabilityBindings,
  UpdateCapabilityBindingRequest,
} from './schema.ts';
import type { BindingPath } from './used-binding.ts';
import { workerRoutes } from './workers/routes.ts';

export interface CapabilitiesOptions {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'exec' | 'setCapabilities'>;
  readonly connections: McpConnections;
}

export const capabilityRoutes = (options: CapabilitiesOptions) => [
  installRoutes(options),
  changeRoutes(options),
  mcpRoutes(options),
  workerRoutes(options.db, options.operator),
];

const MAY_CHANGE = { scope: 'runtimes:write', role: 'contributor' } as const;

function installRoutes(options: CapabilitiesOptions) {
  const { db } = options;
  return workspaceRoutes('Runtimes', (on) => {
    on.post(
      '/runtimes/:runtime/capabilities',
      {
        id: 'installCapability',
        summary: 'Install a capability into a runtime',
        description:
          'Its files are seen, read-only, at `/capabilities/<name>`: at once where the runtime runs, else from its next start or ' +
          'resume on. `/capabilities/bindings.json` lists all of them. Only the owner of the runtime can.',
        ...MAY_CHANGE,
        params: RuntimeParams,
        body: InstallCapabilityRequest,
        response: RuntimeCapabilityBinding,
        status: 201,
        long: true,
      },
      ({ scope, params, body }) => installCapability(options, scope, params.runtime, body),
    );

    on.get(
      '/runtimes/:runtime/capabilities',
      {
        id: 'listRuntimeCapabilities',
        summary: 'List the capabilities of a runtime',
        description: 'In the order in which they were installed.',
        scope: 'runtimes:read',
        role: 'reader',
        params: RuntimeParams,
        response: RuntimeCapabilityBindings,
      },
      async ({ scope, params }) => {
        const { id } = await getRuntime(db, scope, params.runtime);
        return (await listBindings(db, scope, id)).map((row) => toBinding(scope, row));
      },
    );
  });
}

function changeRoutes(options: CapabilitiesOptions) {
  const { db, connections } = options;
  const targetOf = async (scope: WorkspaceScope, { runtime, binding_id }: BindingPath) => ({
    target: await getOwnTarget(db, scope, runtime),
    id: binding_id,
  });

  return workspaceRoutes('Runtimes', (on) => {
    on.patch(
      '/runtimes/:runtime/capabilities/:binding_id',
      {
        id: 'updateRuntimeCapability',
        summary: 'Change the version of a capability, its flags, or whether it is shown',
        description:
          'What works with the version before can go on with it. Its MCP servers are started anew; its workers go on, and end where it is disabled.',
        ...MAY_CHANGE,
        params: BindingParams,
        body: UpdateCapabilityBindingRequest,
        response: RuntimeCapabilityBinding,
        long: true,
      },
      async ({ scope, params, body }) => {
        const place = await targetOf(scope, params);
        const binding = await updateBinding(options, scope, place, body);
        await connections.drop(place.id);
        return binding;
      },
    );

    on.delete(
      '/runtimes/:runtime/capabilities/:binding_id',
      {
        id: 'uninstallCapability',
        summary: 'Remove a capability from a runtime',
        description: 'Its workers and MCP servers end. Files of it that are open can still be read.',
        ...MAY_CHANGE,
        params: BindingParams,
        long: true,
      },
      async ({ scope, params }) => {
        const place = await targetOf(scope, params);
        await uninstallCapability(options, place);
        await connections.drop(place.id);
      },
    );
  });
}
