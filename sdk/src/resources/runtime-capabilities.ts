/** Capabilities installed in runtimes, and their MCP servers and workers. */
import type {
  CallMcpToolRequest,
  CallMcpToolResponse,
  CapabilityMcpServer,
  CapabilityMcpTool,
  CapabilityWorker,
  CapabilityWorkerLog,
  InstallCapabilityRequest,
  RuntimeCapabilityBinding,
  UpdateCapabilityBindingRequest,
} from '../models.gen.ts';
import { type OneRuntime, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/** A capability of a runtime: by the id of its binding. */
interface OneBinding extends OneRuntime {
  readonly binding_id: string;
}

interface OneServer extends OneBinding {
  readonly server: string;
}

interface OneTool extends OneServer {
  readonly tool: string;
}

interface OneWorker extends OneBinding {
  readonly worker: string;
}

/**
 * @example
 * ```ts
 * import { execFileSync } from 'node:child_process';
 * import { mkdtempSync, writeFileSync } from 'node:fs';
 *
 * const folder = mkdtempSync('/tmp/capability-');
 * const manifest = 'schema: 1\nname: greeter\nversion: 1.0.0\ndescription: Greets\nflags: {loud: {}}\nworkers: {rest: sleep 60}\n';
 * writeFileSync(`${folder}/capability.yaml`, manifest);
 * writeFileSync(`${folder}/hello.sh`, '#!/bin/sh\necho hello\n');
 * const bundle = execFileSync('tar', ['czf', '-', '-C', folder, '.']);
 * await drydock.capabilities.publish({ org: 'main', name: 'greeter', version: '1.0.0' }, new Uint8Array(bundle));
 *
 * const where = { org: 'main', workspace: 'main' };
 * const { key } = await drydock.runtimes.create(where, { name: 'With capabilities' });
 * const runtime = { ...where, runtime: key };
 * await drydock.runtimes.start(runtime);
 * const { id, flags } = await drydock.runtimeCapabilities.install(runtime, { name: 'greeter' });
 * console.log(flags); // → { loud: false }
 *
 * const { stdout } = await drydock.runtimes.exec(runtime, { command: '/capabilities/greeter/hello.sh' });
 * console.log(stdout.trim()); // → hello
 * const rest = { ...runtime, binding_id: id, worker: 'rest' };
 * const { state } = await drydock.runtimeCapabilities.startWorker(rest);
 * console.log(state); // → running
 * await drydock.runtimes.delete(runtime);
 * ```
 */
export class RuntimeCapabilities extends Resource {
  /** Resolves when the capability is visible in the sandbox, if one runs. */
  install(
    where: OneRuntime,
    request: InstallCapabilityRequest,
    options?: CallOptions,
  ): Promise<RuntimeCapabilityBinding> {
    return this.client.call('installCapability', { path: where, body: request }, options);
  }

  /** Lists capabilities in the order of their installation. */
  list(where: OneRuntime, options?: CallOptions): Promise<RuntimeCapabilityBinding[]> {
    return this.client.call('listRuntimeCapabilities', { path: where }, options);
  }

  /** Changes the version, the flags, or the visibility. */
  update(
    where: OneBinding,
    request: UpdateCapabilityBindingRequest,
    options?: CallOptions,
  ): Promise<RuntimeCapabilityBinding> {
    return this.client.call('updateRuntimeCapability', { path: where, body: request }, options);
  }

  /** Uninstalls a capability, which ends its workers and MCP servers. */
  uninstall(where: OneBinding, options?: CallOptions): Promise<void> {
    return this.client.call('uninstallCapability', { path: where }, options);
  }

  /** Lists the MCP servers of its manifest. */
  listMcpServers(where: OneBinding, options?: CallOptions): Promise<CapabilityMcpServer[]> {
    return this.client.call('listCapabilityMcpServers', { path: where }, options);
  }

  /** Starts the server in the sandbox, where it is kept for some minutes. */
  listMcpTools(where: OneServer, options?: CallOptions): Promise<CapabilityMcpTool[]> {
    return this.client.call('listCapabilityMcpTools', { path: where }, options);
  }

  /** Calls a tool; a failing tool responds with `is_error`. */
  callMcpTool(
    where: OneTool,
    request?: CallMcpToolRequest,
    options?: CallOptions,
  ): Promise<CallMcpToolResponse> {
    return this.client.call(
      'callCapabilityMcpTool',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }

  listWorkers(where: OneBinding, options?: CallOptions): Promise<CapabilityWorker[]> {
    return this.client.call('listCapabilityWorkers', { path: where }, options);
  }

  /** Starts the worker in the background of the sandbox. */
  startWorker(where: OneWorker, options?: CallOptions): Promise<CapabilityWorker> {
    return this.client.call('startCapabilityWorker', { path: where }, options);
  }

  /** Resolves when the worker and all processes of its session have ended. */
  stopWorker(where: OneWorker, options?: CallOptions): Promise<CapabilityWorker> {
    return this.client.call('stopCapabilityWorker', { path: where }, options);
  }

  /** Returns the last output of a worker. */
  getWorkerLog(where: OneWorker, options?: CallOptions): Promise<CapabilityWorkerLog> {
    return this.client.call('getCapabilityWorkerLog', { path: where }, options);
  }
}
