/** The MCP tools of the agent's capabilities, as tools that a model is offered. */
import { AgentAbort, type AgentTool } from '../../../platform/agent/ports.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { EphemeralSandbox, McpTool, McpToolResult } from '../../../runtimes/service.ts';

/** Providers refuse a tool with a longer name. */
const MAX_NAME = 64;

/**
 * Creates the tools with deterministic names, so that a transcript can be continued by another worker.
 * @throws {ApiError} when a server does not start: an agent without its tools would give a worse result without a visible reason
 */
export async function createMcpTools(
  sandbox: EphemeralSandbox,
  taken: readonly string[],
  signal: AbortSignal,
): Promise<AgentTool[]> {
  const names = new Set(taken);
  return (await sandbox.listMcpTools(signal)).map((tool) => {
    const name = toUniqueName(tool, names);
    names.add(name);
    const { $schema: _, ...parameters } = tool.inputSchema;
    return {
      name,
      description: tool.description,
      parameters,
      run: (args, runSignal) => callTool(sandbox, tool, args, runSignal),
    };
  });
}

function toUniqueName({ server, name }: McpTool, taken: ReadonlySet<string>): string {
  const wanted = `${server}__${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  let unique = wanted.slice(0, MAX_NAME);
  for (let copy = 2; taken.has(unique); copy++)
    unique = `${wanted.slice(0, MAX_NAME - 1 - String(copy).length)}_${copy}`;
  return unique;
}

/** Errors of the server are passed to the model, which may try something else; errors of the sandbox end the attempt. */
async function callTool(
  sandbox: EphemeralSandbox,
  tool: McpTool,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<string> {
  const result = await sandbox.callMcpTool(tool, args, signal).catch((error: unknown) => {
    const isOfServer = error instanceof ApiError && error.type !== 'sandbox_provider_error';
    throw isOfServer ? error : new AgentAbort(error);
  });
  const text = toText(result);
  if (result.isError) throw new Error(text);
  return text;
}

/** Passes text on as it is. Images, audio and binary resources become a description such as `[image, image/png, 120 bytes]`. */
function toText({ content, structuredContent }: McpToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map(describePart).join('\n');
}

function describePart({
  type,
  text,
  data,
  mimeType,
  uri,
  resource,
}: McpToolResult['content'][number]): string {
  if (type === 'text') return String(text);
  if (type === 'resource') {
    const embedded = resource as Readonly<Record<string, unknown>>;
    if (typeof embedded.text === 'string') return embedded.text;
    return describe('resource', [embedded.uri, embedded.mimeType, toSize(embedded.blob)]);
  }
  return describe(String(type), [uri, mimeType, toSize(data)]);
}

const describe = (what: string, details: readonly unknown[]) =>
  `[${[what, ...details.filter((detail) => typeof detail === 'string')].join(', ')}]`;

const toSize = (base64: unknown) =>
  typeof base64 === 'string' ? `${Buffer.byteLength(base64, 'base64')} bytes` : undefined;
