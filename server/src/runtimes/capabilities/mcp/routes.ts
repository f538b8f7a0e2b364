import { workspaceRoutes } from '../../../platform/http/operations.ts';
import { getRuntime } from '../../lookup.ts';
import { getBinding } from '../bindings.ts';
import { listServers, type McpServer } from '../manifest.ts';
import { BindingParams } from '../schema.ts';
import {
  CallMcpToolRequest,
  CallMcpToolResponse,
  CapabilityMcpServers,
  CapabilityMcpTools,
  ServerParams,
  ToolParams,
} from './schema.ts';
import { type ServersOptions, useServer } from './servers.ts';

const SERVERS = '/runtimes/:runtime/capabilities/:binding_id/mcp-servers';

export function mcpRoutes(options: ServersOptions) {
  const { db } = options;
  return workspaceRoutes('Runtimes', (on) => {
    on.get(
      SERVERS,
      {
        id: 'listCapabilityMcpServers',
        summary: 'List the MCP servers of an installed capability',
        description: 'As its manifest lists them, whether its runtime runs or not.',
        scope: 'runtimes:read',
        role: 'reader',
        params: BindingParams,
        response: CapabilityMcpServers,
      },
      async ({ scope, params }) => {
        const { id } = await getRuntime(db, scope, params.runtime);
        const { manifest } = await getBinding(db, scope, id, params.binding_id);
        return listServers(manifest).map(toShown);
      },
    );

    on.get(
      `${SERVERS}/:server/tools`,
      {
        id: 'listCapabilityMcpTools',
        summary: 'List the tools of an MCP server',
        description:
          'The server is started in the sandbox, and kept for some minutes after its last use. Only the owner of the runtime can.',
        scope: 'runtimes:read',
        role: 'contributor',
        params: ServerParams,
        response: CapabilityMcpTools,
        watched: true,
        long: true,
      },
      ({ scope, params, signal }) =>
        useServer(options, scope, params, async (connection) =>
          (await connection.listTools(signal)).map((tool) => ({
            name: tool.name,
            title: tool.title ?? null,
            description: tool.description ?? null,
            input_schema: { ...tool.inputSchema },
            output_schema: tool.outputSchema ? { ...tool.outputSchema } : null,
          })),
        ),
    );

    on.post(
      `${SERVERS}/:server/tools/:tool`,
      {
        id: 'callCapabilityMcpTool',
        summary: 'Call a tool of an MCP server',
        description:
          'In the sandbox of the runtime, as its user. A tool that fails answers with `is_error`; a server that does not answer is a ' +
          '502 or 504. Only the owner of the runtime can.',
        scope: 'runtimes:write',
        role: 'contributor',
        params: ToolParams,
        body: CallMcpToolRequest.prefault({}),
        response: CallMcpToolResponse,
        watched: true,
        idempotency: false,
        long: true,
      },
      ({ scope, params, body, signal }) =>
        useServer(options, scope, params, async (connection) => {
          const result = await connection.callTool(params.tool, body.arguments, signal);
          return {
            content: [...(result.content ?? [])] as unknown as Record<string, unknown>[],
            structured_content: (result.structuredContent as Record<string, unknown> | undefined) ?? null,
            is_error: result.isError ?? false,
          };
        }),
    );
  });
}

const toShown = (server: McpServer) => ({
  name: server.name,
  transport: server.transport,
  command: server.transport === 'stdio' ? [...server.start.argv] : null,
  url: server.transport === 'http' ? server.url : null,
  problem: server.transport === 'unknown' ? server.problem : null,
});
