/** Runtimes: durable environments that are started, used, paused and resumed. */
import type { LiveOptions, LiveStream } from '../live-stream.ts';
import type {
  Runtime,
  RuntimeConfigReplaceRequest,
  RuntimeConfigResponse,
  RuntimeCreateRequest,
  RuntimeCreateResponse,
  RuntimeExecRequest,
  RuntimeExecResponse,
  RuntimeKeepAliveRequest,
  RuntimeKeepAliveResponse,
  RuntimePage,
  RuntimeStartRequest,
} from '../models.gen.ts';
import type { LiveEvent, QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OnePort, type OneRuntime, Resource } from '../resource.ts';
import type { Terminal, TerminalOptions } from '../terminal.ts';
import type { CallOptions, PassedOnInit } from '../transport.ts';

/** The method decides whether the output is followed. */
type Command = Omit<RuntimeExecRequest, 'stream'>;

/** Content of the request, and its timeout. */
export type PortOptions = PassedOnInit & Omit<CallOptions, 'maxRetries' | 'idempotencyKey'>;

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const config = { sandbox: { exposed_ports: [8000] } };
 * const { key, created } = await drydock.runtimes.create(where, { name: 'Scratch', config });
 * const runtime = { ...where, runtime: key };
 * console.log(created); // → true
 *
 * for await (const event of drydock.runtimes.startLive(runtime)) {
 *   if (event.type === 'runtime') console.log(event.data.status); // → running
 * }
 * const { stdout, exit_code } = await drydock.runtimes.exec(runtime, { command: 'echo "hello from $(whoami)"' });
 * console.log(stdout.trim(), exit_code); // → hello from user 0
 *
 * const command = ['sh', '-c', 'echo one; echo two >&2; exit 3'];
 * for await (const event of drydock.runtimes.execLive(runtime, { command })) {
 *   if (event.type === 'exit') console.log(event.data.exit_code); // → 3
 * }
 * const terminal = await drydock.runtimes.openTerminal(runtime, { columns: 100, rows: 30 });
 * terminal.write('stty size; exit 7\r');
 * let shown = '';
 * for await (const bytes of terminal) shown += new TextDecoder().decode(bytes);
 * console.log(shown.includes('30 100'), await terminal.exit); // → true 7
 *
 * await drydock.runtimes.exec(runtime, { command: 'python3 -m http.server 8000 >/dev/null 2>&1 & sleep 1' });
 * const page = await drydock.runtimes.reachPort({ ...runtime, port: 8000, path: '/' });
 * console.log(page.status); // → 200
 *
 * const paused = await drydock.runtimes.pause(runtime);
 * console.log(paused.status); // → paused
 * await drydock.runtimes.delete(runtime);
 * ```
 */
export class Runtimes extends Resource {
  /** Creates a runtime, or returns the existing one with this key. */
  create(
    where: InWorkspace,
    request?: RuntimeCreateRequest,
    options?: CallOptions,
  ): Promise<RuntimeCreateResponse> {
    return this.client.call('createRuntime', { path: where, ...(request && { body: request }) }, options);
  }

  list(where: InWorkspace, filters?: QueryOf<'listRuntimes'>, options?: CallOptions): List<RuntimePage> {
    return this.client.list('listRuntimes', { path: where, ...(filters && { query: filters }) }, options);
  }

  get(where: OneRuntime, options?: CallOptions): Promise<Runtime> {
    return this.client.call('getRuntime', { path: where }, options);
  }

  /** Deletes a runtime with its disk, in any state. */
  delete(where: OneRuntime, options?: CallOptions): Promise<void> {
    return this.client.call('deleteRuntime', { path: where }, options);
  }

  getConfig(where: OneRuntime, options?: CallOptions): Promise<RuntimeConfigResponse> {
    return this.client.call('getRuntimeConfig', { path: where }, options);
  }

  /** Replaces the config, which takes effect at the next start. */
  replaceConfig(
    where: OneRuntime,
    request: RuntimeConfigReplaceRequest,
    options?: CallOptions,
  ): Promise<RuntimeConfigResponse> {
    return this.client.call('replaceRuntimeConfig', { path: where, body: request }, options);
  }

  /** Resolves when the runtime runs. */
  start(where: OneRuntime, request?: RuntimeStartRequest, options?: CallOptions): Promise<Runtime> {
    return this.client.call('startRuntime', { path: where, ...(request && { body: request }) }, options);
  }

  /** Starts the runtime and reports its steps: `progress`, and at the end `runtime`. */
  startLive(
    where: OneRuntime,
    request?: RuntimeStartRequest,
    options?: LiveOptions,
  ): LiveStream<LiveEvent<'startRuntime'>> {
    const input = { path: where, ...(request && { body: request }) };
    return this.client.live('startRuntime', input, 'runtime', options);
  }

  /** Pauses the runtime; its processes and their memory are kept. */
  pause(where: OneRuntime, options?: CallOptions): Promise<Runtime> {
    return this.client.call('pauseRuntime', { path: where }, options);
  }

  /** Pauses the runtime and reports its steps. */
  pauseLive(where: OneRuntime, options?: LiveOptions): LiveStream<LiveEvent<'pauseRuntime'>> {
    return this.client.live('pauseRuntime', { path: where }, 'runtime', options);
  }

  resume(where: OneRuntime, options?: CallOptions): Promise<Runtime> {
    return this.client.call('resumeRuntime', { path: where }, options);
  }

  /** Resumes the runtime and reports its steps. */
  resumeLive(where: OneRuntime, options?: LiveOptions): LiveStream<LiveEvent<'resumeRuntime'>> {
    return this.client.live('resumeRuntime', { path: where }, 'runtime', options);
  }

  /** Ends the sandbox and deletes the contents of its disk. */
  reset(where: OneRuntime, options?: CallOptions): Promise<Runtime> {
    return this.client.call('resetRuntime', { path: where }, options);
  }

  /** Resets the runtime and reports its steps. */
  resetLive(where: OneRuntime, options?: LiveOptions): LiveStream<LiveEvent<'resetRuntime'>> {
    return this.client.live('resetRuntime', { path: where }, 'runtime', options);
  }

  /** Extends the time until the runtime expires. */
  keepAlive(
    where: OneRuntime,
    request: RuntimeKeepAliveRequest,
    options?: CallOptions,
  ): Promise<RuntimeKeepAliveResponse> {
    return this.client.call('keepRuntimeAlive', { path: where, body: request }, options);
  }

  /** Runs a command to its end. The response contains at most 1 MiB of each output. */
  exec(where: OneRuntime, request: Command, options?: CallOptions): Promise<RuntimeExecResponse> {
    return this.client.call('execInRuntime', { path: where, body: request }, options);
  }

  /** Runs a command and streams all of its output: `stdout`, `stderr`, and at the end `exit`. */
  execLive(
    where: OneRuntime,
    request: Command,
    options?: LiveOptions,
  ): LiveStream<LiveEvent<'execInRuntime'>> {
    return this.client.live('execInRuntime', { path: where, body: request }, 'exit', options);
  }

  /** Opens a terminal, or attaches to an existing one. The program blocks when its output is not read. */
  openTerminal(where: OneRuntime, options?: TerminalOptions): Promise<Terminal> {
    return this.client.terminal(where, options);
  }

  /** Sends a request to a port of the runtime, once, and returns any response, like fetch. Errors of the platform itself are thrown. */
  reachPort(where: OnePort, options?: PortOptions): Promise<Response> {
    const { method, headers, body, redirect, ...rest } = options ?? {};
    const init = {
      ...(method && { method }),
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      ...(redirect && { redirect }),
    };
    return this.client.pass('reachRuntimePort', where, where.path ?? '', init, rest);
  }
}
