/** MCP servers of capabilities: listed from manifests, and used in running sandboxes. */
import type { WorkspaceScope } from '../../../platform/auth/principal.ts';
import type { Db } from '../../../platform/db/connect.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import type { RuntimeOperator } from '../../operator.ts';
import { noteServer } from '../in-use.ts';
import { listServers, type McpServer, notStartable, toCommand } from '../manifest.ts';
import { type BindingPath, getUsedBinding, type UsedBinding } from '../used-binding.ts';
import { McpConnection } from './connection.ts';
import type { McpConnections } from './connections.ts';

export interface ServersOptions {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'exec'>;
  readonly connections: McpConnections;
}

/** Uses a server in the sandbox of the caller's runtime, which is started unless this process has it running. */
export async function useServer<T>(
  { db, operator, connections }: ServersOptions,
  scope: WorkspaceScope,
  path: BindingPath & { readonly server: string },
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  const used = await getUsedBinding(db, scope, path);
  const server = listServers(used.binding.manifest).find(({ name }) => name === path.server);
  if (!server) throw notFound(`MCP server "${path.server}" of ${used.binding.capability_name}`);
  const { id: bindingId, version_id, updated_at } = used.binding;
  const key = {
    sandboxId: used.place.sandboxId,
    bindingId,
    state: `${version_id} ${updated_at}`,
    server: server.name,
  };
  return connections.use(key, () => openServer(operator, used, server), work);
}

/**
 * Starts a server in its sandbox.
 * @param signal ends a server that has not responded yet
 */
export async function openServer(
  operator: ServersOptions['operator'],
  { binding, target, place }: UsedBinding,
  server: McpServer,
  signal?: AbortSignal,
): Promise<McpConnection> {
  if (server.transport === 'http') {
    const detail = `The MCP server "${server.name}" does not run in the sandbox. Call it at its own address: ${server.url}`;
    throw new ApiError('conflict_error', detail);
  }
  if (server.transport === 'unknown') throw notStartable('MCP server', server.name, server.problem);
  const command = noteServer(binding, server.name, toCommand(binding, server.start));
  const execution = await operator.exec(target, command, place).catch(toRefusal);
  const kill = () => execution.kill();
  signal?.addEventListener('abort', kill);
  if (signal?.aborted) kill();
  try {
    return await McpConnection.open(execution, server.name);
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}

/** An invalid command comes from the manifest, so it is not reported as the caller's mistake. */
export function toRefusal(error: unknown): never {
  if (!(error instanceof ApiError && error.type === 'validation_error')) throw error;
  const detail = `It cannot be started as its manifest says: ${error.message}`;
  throw new ApiError('conflict_error', detail, { cause: error });
}
