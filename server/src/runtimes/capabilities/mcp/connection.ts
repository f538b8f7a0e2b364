/** A connection to an MCP server that runs in a sandbox. */
import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import { ApiError } from '../../../platform/errors.ts';
import type { Execution } from '../../../platform/sandbox/sandbox-provider.ts';
import { ExecutionTransport } from './execution-transport.ts';

/** Some servers install their dependencies at the first start. */
const BEGIN_MS = 60_000;
const ANSWER_MS = 120_000;
const MAX_PAGES = 20;
/** Client information sent to servers; the version is that of this client, not of the platform. */
const SELF = { name: 'drydock', version: '1' };
const INVALID_PARAMS = -32_602;

/**
 * Disables schema compilation: this process must not compile schemas from third parties, and callers of a tool may validate its results
 * themselves.
 */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) =>
    ({ valid: true, data: input as never, errorMessage: undefined }) as const,
};

export class McpConnection {
  readonly #client: Client;
  readonly #transport: ExecutionTransport;
  readonly #name: string;

  private constructor(client: Client, transport: ExecutionTransport, name: string) {
    this.#client = client;
    this.#transport = transport;
    this.#name = name;
  }

  /** Ends the server if the connection cannot be initialized. */
  static async open(execution: Execution, name: string): Promise<McpConnection> {
    // Imported at first use, because most processes never need it.
    const { Client } = await import('@modelcontextprotocol/client');
    const transport = new ExecutionTransport(execution, name);
    const client = new Client(SELF, { jsonSchemaValidator: NO_VALIDATION, listMaxPages: MAX_PAGES });
    const connection = new McpConnection(client, transport, name);
    try {
      await connection.#translateErrors(() => client.connect(transport, { timeout: BEGIN_MS }));
      return connection;
    } catch (error) {
      await transport.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return !this.#transport.isClosed;
  }

  async listTools(signal: AbortSignal): Promise<Tool[]> {
    const { tools } = await this.#translateErrors(() =>
      this.#client.listTools(undefined, { timeout: ANSWER_MS, signal, cacheMode: 'bypass' }),
    );
    return tools;
  }

  callTool(name: string, given: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    return this.#translateErrors(() =>
      this.#client.callTool({ name, arguments: given }, { timeout: ANSWER_MS, signal }),
    );
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Converts errors of the client library to ours. */
  async #translateErrors<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (cause) {
      throw await this.#explain(cause);
    }
  }

  async #explain(cause: unknown): Promise<unknown> {
    if (this.#transport.failure) return this.#transport.failure;
    const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
    const server = `The MCP server "${this.#name}"`;
    if (cause instanceof ProtocolError) {
      const msg = `${server} refuses: ${cause.message.slice(0, 2_000)}`;
      if (cause.code !== INVALID_PARAMS) return new ApiError('bad_gateway_error', msg, { cause });
      const issues = [{ loc: ['body', 'arguments'], msg, type: 'invalid_value' }];
      return new ApiError('validation_error', msg, { cause, issues });
    }
    if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) {
      // The server may still be working on a request that nobody waits for.
      await this.#transport.close();
      return new ApiError('gateway_timeout_error', `${server} does not respond.`, { cause });
    }
    if (cause instanceof ApiError || (cause instanceof Error && cause.name === 'AbortError')) return cause;
    const why = cause instanceof Error ? cause.message.slice(0, 500) : 'nothing is known of why';
    return new ApiError('bad_gateway_error', `${server} sent an invalid response: ${why}`, { cause });
  }
}
