/** MCP servers of the capabilities of a held sandbox: each is started once, at its first use, and ends with the sandbox. */
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { getBinding, listBindings } from '../capabilities/bindings.ts';
import { listServers, type McpServer } from '../capabilities/manifest.ts';
import type { McpConnection } from '../capabilities/mcp/connection.ts';
import { McpConnections } from '../capabilities/mcp/connections.ts';
import { openServer } from '../capabilities/mcp/servers.ts';
import type { UsedBinding } from '../capabilities/used-binding.ts';
import type { RuntimeOperator, SandboxPlace, Target } from '../operator.ts';

export interface McpToolName {
  readonly capability: string;
  readonly server: string;
  readonly name: string;
}

export interface McpTool extends McpToolName {
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface McpToolResult {
  /** Content parts as defined by MCP: `{type: 'text', text}`, images, audio, resources. */
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent: unknown;
  readonly isError: boolean;
}

interface ServersOptions {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'exec'>;
  readonly target: Target;
}

/** A server and its capability. */
interface Listed {
  readonly binding: UsedBinding['binding'];
  readonly server: McpServer;
}

export class HeldServers {
  readonly #options: ServersOptions;
  /** Idle servers are not ended: a server may keep state between two calls, and a model may take minutes for its next call. */
  readonly #connections = new McpConnections({ idleMs: undefined });
  #listed: Promise<Listed[]> | undefined;

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  /** Starts all servers and lists their tools. Tools of a server are sorted by name, so that the order is the same in every process. */
  async listTools(place: SandboxPlace, signal: AbortSignal): Promise<McpTool[]> {
    const listed = await this.#list();
    const tools = await Promise.all(
      listed.map(({ binding, server }) =>
        this.#use({ binding, server }, place, signal, async (connection) =>
          (await connection.listTools(signal)).map(({ name, title, description, inputSchema }) => ({
            capability: binding.capability_name,
            server: server.name,
            name,
            description: description ?? title ?? '',
            inputSchema: { ...inputSchema },
          })),
        ),
      ),
    );
    return tools.flatMap((ofServer) => ofServer.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }

  async callTool(
    { capability, server: serverName, name }: McpToolName,
    args: Readonly<Record<string, unknown>>,
    place: SandboxPlace,
    signal: AbortSignal,
  ): Promise<McpToolResult> {
    const listed = (await this.#list()).find(
      ({ binding, server }) => binding.capability_name === capability && server.name === serverName,
    );
    if (!listed) throw notFound(`MCP server "${serverName}" of ${capability}`);
    return this.#use(listed, place, signal, async (connection) => {
      const result = await connection.callTool(name, { ...args }, signal);
      return {
        content: [...(result.content ?? [])] as unknown as McpToolResult['content'],
        structuredContent: result.structuredContent,
        isError: result.isError ?? false,
      };
    });
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  #use<T>(
    { binding, server }: Listed,
    place: SandboxPlace,
    signal: AbortSignal,
    work: (connection: McpConnection) => Promise<T>,
  ): Promise<T> {
    const { operator, target } = this.#options;
    const key = { sandboxId: place.sandboxId, bindingId: binding.id, state: '', server: server.name };
    return this.#connections.use(
      key,
      () => openServer(operator, { binding, target, place }, server, signal),
      work,
    );
  }

  /** The list is read once, since the capabilities of an ephemeral sandbox do not change. Servers with a URL do not run in it. */
  #list(): Promise<Listed[]> {
    this.#listed ??= this.#readServers().catch((error: unknown) => {
      this.#listed = undefined;
      throw error;
    });
    return this.#listed;
  }

  async #readServers(): Promise<Listed[]> {
    const { db, target } = this.#options;
    const { organizationId, runtimeId } = target;
    const viewer = { organizationId, role: 'member' } as const;
    const enabled = (await listBindings(db, viewer, runtimeId)).filter((binding) => binding.enabled);
    const bindings = await Promise.all(enabled.map(({ id }) => getBinding(db, viewer, runtimeId, id)));
    return bindings.flatMap((binding) =>
      listServers(binding.manifest)
        .filter(({ transport }) => transport !== 'http')
        .map((server) => ({ binding, server })),
    );
  }
}
