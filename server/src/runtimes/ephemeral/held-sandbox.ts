/** A sandbox for background work: commands and files, for as long as this process holds its lease. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import { validate } from '../../platform/http/requests/validation.ts';
import { type Exec, readFile, writeFile } from '../../platform/sandbox/files/files.ts';
import { runCommand } from '../exec/run-command.ts';
import { findRunning, type Running, toRunning } from '../exec/running.ts';
import { ExecRequest, type ExecRequestOf } from '../exec/schema.ts';
import { openFiles } from '../files/open-files.ts';
import type { RuntimeOperator, SandboxPlace, Target } from '../operator.ts';
import { HeldServers, type McpTool, type McpToolName, type McpToolResult } from './held-servers.ts';
import type { LeaseHolder } from './lease-holder.ts';
import { explainGone, SandboxGone } from './sandbox-gone.ts';

const MAX_READ_BYTES = 16 * 1024 ** 2;
const EXIT_CODE_OF_KILLED = 137;
const END_ATTEMPTS = 20;
const END_POLL_INTERVAL_MS = 100;

export interface SandboxCapability {
  readonly name: string;
  readonly version: string;
  /** Path of its folder in the sandbox. */
  readonly folder: string;
}

export interface ExecOptions {
  /** Absolute path; defaults to /workspace. */
  readonly cwd?: string;
  /** Added to the environment of the sandbox; overrides its variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array | Readable;
  /** Defaults to 600. A sandbox that reaches its own limit first throws `SandboxGone`. */
  readonly timeoutSeconds?: number;
  /** Maximum bytes of stdout and stderr each; defaults to 1 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  /** 127: program not found; 128 + n: killed by signal n; 137: timed out. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the output was truncated. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly durationMs: number;
}

/**
 * Every method throws the reason of an aborted signal, `SandboxGone` when the sandbox has ended, and otherwise an `ApiError`:
 * `sandbox_provider_error` for infrastructure failures, any other type for invalid requests.
 */
export interface EphemeralSandbox {
  /** The id in `O/sandboxes/{sandbox_id}`, by which the sandbox can be resumed and its /workspace taken over. */
  readonly id: string;
  /** The enabled capabilities of its configuration. */
  readonly capabilities: readonly SandboxCapability[];
  /** Limits that are enforced: `cpu_cores`, `memory_mb`, `pids`. */
  readonly limits: Readonly<Record<string, number>>;
  /** @param command a shell command line, or a program and its arguments */
  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** @param path in /workspace */
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Buffer>;
  /**
   * Writes a file and creates missing folders.
   * @param path in /workspace
   */
  writeFile(path: string, content: string | Uint8Array | Readable): Promise<void>;
  /** Lists the tools of MCP servers of the sandbox's capabilities. Throws the error output of a server that does not start. */
  listMcpTools(signal?: AbortSignal): Promise<McpTool[]>;
  /** Restarts a server that has ended. `bad_gateway_error` and `gateway_timeout_error` are failures of the server itself. */
  callMcpTool(
    tool: McpToolName,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<McpToolResult>;
  /**
   * Keeps the sandbox when the callback ends. It can be resumed by its id until `seconds`, at least 90, after the last renewal of its
   * lease. 0 restores the removal.
   */
  keep(seconds: number): Promise<void>;
  /** Ends the processes of the sandbox. The disk is kept while the lease is held, so that another sandbox can take over /workspace. */
  end(): Promise<void>;
}

export interface HeldOptions {
  readonly db: Db;
  readonly operator: RuntimeOperator;
  readonly target: Target;
  readonly holder: LeaseHolder;
  /** Signal of the work: once aborted, nothing more is done in the sandbox. */
  readonly signal: AbortSignal;
  readonly id: string;
  readonly capabilities: readonly SandboxCapability[];
  readonly limits: Readonly<Record<string, number>>;
}

export class HeldSandbox implements EphemeralSandbox {
  readonly #options: HeldOptions;
  readonly #servers: HeldServers;

  constructor(options: HeldOptions) {
    this.#options = options;
    this.#servers = new HeldServers(options);
  }

  get id(): string {
    return this.#options.id;
  }

  get capabilities(): readonly SandboxCapability[] {
    return this.#options.capabilities;
  }

  get limits(): Readonly<Record<string, number>> {
    return this.#options.limits;
  }

  exec(command: string | readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const { cwd, env, timeoutSeconds, stdin, maxBytes } = options;
    return this.#reach(options.signal, async (signal) => {
      const given = { command, cwd, env, timeout_seconds: timeoutSeconds };
      const request = validate({ body: ExecRequest }, { body: given }).body as ExecRequestOf;
      const output = await runCommand(this.#options.operator, await this.#getRunning(), request, {
        signal,
        ...(stdin !== undefined && { stdin }),
        ...(maxBytes !== undefined && { maxBytes }),
      });
      // The end of a sandbox kills its commands, and their partial output must not be taken for a result.
      if (output.exit_code === EXIT_CODE_OF_KILLED && !output.timed_out) await this.#getRunning();
      return {
        exitCode: output.exit_code,
        stdout: output.stdout,
        stderr: output.stderr,
        truncated: output.truncated,
        timedOut: output.timed_out,
        durationMs: output.duration_ms,
      };
    });
  }

  readFile(path: string, { maxBytes = MAX_READ_BYTES } = {}): Promise<Buffer> {
    return this.#reach(undefined, async (signal) => {
      const { stream, size_bytes } = await readFile(await this.#openFiles(signal), path);
      if (size_bytes <= maxBytes) return buffer(stream);
      stream.destroy();
      throw new ApiError('invalid_error', `"${path}" has ${size_bytes} bytes; at most ${maxBytes} are read.`);
    });
  }

  writeFile(path: string, content: string | Uint8Array | Readable): Promise<void> {
    return this.#reach(undefined, async (signal) => {
      const stream =
        content instanceof Readable ? content : Readable.from([Buffer.from(content)], { objectMode: false });
      await writeFile(await this.#openFiles(signal), path, stream);
    });
  }

  listMcpTools(given?: AbortSignal): Promise<McpTool[]> {
    return this.#reach(given, async (signal) =>
      this.#servers.listTools((await this.#getRunning()).place, signal),
    );
  }

  callMcpTool(
    tool: McpToolName,
    args: Readonly<Record<string, unknown>>,
    given?: AbortSignal,
  ): Promise<McpToolResult> {
    return this.#reach(given, async (signal) =>
      this.#servers.callTool(tool, args, (await this.#getRunning()).place, signal),
    );
  }

  keep(seconds: number): Promise<void> {
    return this.#reach(undefined, () => this.#options.holder.keep(seconds));
  }

  end(): Promise<void> {
    const { holder, operator, target, id } = this.#options;
    return this.#reach(undefined, async () => {
      holder.expect(undefined);
      await this.close();
      await operator.end(target, 'Ended by the work that it was started for.', id);
    });
  }

  /** Closes the connections of this process to MCP servers in the sandbox. */
  async close(): Promise<void> {
    await this.#servers.close();
  }

  async #reach<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal: own, holder } = this.#options;
    const signal = AbortSignal.any([own, holder.lost, ...(given ? [given] : [])]);
    signal.throwIfAborted();
    try {
      return await work(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && !(error instanceof SandboxGone)) await this.#explain(error);
      throw error;
    }
  }

  /**
   * Checks after an error whether the sandbox has ended, so that the error is not blamed on the command. The provider knows of an end up to
   * 100 ms before it is stored, so a provider's error is followed by several checks.
   * @throws {SandboxGone}
   */
  async #explain({ type }: ApiError): Promise<void> {
    const attempts = type === 'sandbox_provider_error' || type === 'conflict_error' ? END_ATTEMPTS : 1;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await this.#getRunning();
      if (attempt < attempts) await sleep(END_POLL_INTERVAL_MS);
    }
  }

  /** @throws {SandboxGone} */
  async #getRunning(): Promise<Running & { readonly place: SandboxPlace }> {
    const { db, target, id } = this.#options;
    const { organizationId, runtimeId } = target;
    const row = await findRunning(
      db,
      sql<boolean>`r.organization_id = ${organizationId} AND r.id = ${runtimeId}`,
    );
    // The remaining time of the sandbox is not a timeout for a command: a sandbox that reaches its limit is ended and reported as gone.
    const running = { ...toRunning(target, row), remainingMs: undefined };
    const { place } = running;
    if (place?.sandboxId === id) return { ...running, place };
    throw await explainGone(db, { organizationId, sandboxId: id });
  }

  async #openFiles(signal: AbortSignal): Promise<Exec> {
    const exec = openFiles(this.#options.operator, await this.#getRunning());
    return async (command) => {
      const execution = await exec(command);
      const kill = () => execution.kill();
      signal.addEventListener('abort', kill);
      if (signal.aborted) kill();
      void execution.exit.then(() => signal.removeEventListener('abort', kill));
      return execution;
    };
  }
}
