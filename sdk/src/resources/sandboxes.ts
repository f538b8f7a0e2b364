/** Sandboxes: each is one instance of a runtime, from a start until its end. */
import type {
  Sandbox,
  SandboxLogPage,
  SandboxPage,
  SandboxProvider,
  SandboxUsageResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InOrganization, type OneSandbox, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const providers = await drydock.sandboxes.listProviders({ org: 'main' });
 * for (const { name, available, reason } of providers) if (!available) console.error(name, reason);
 * const usage = await drydock.sandboxes.getUsage({ org: 'main' });
 * console.log(usage.total_runtime_seconds >= 0); // → true
 * ```
 */
export class Sandboxes extends Resource {
  list(where: InOrganization, filters?: QueryOf<'listSandboxes'>, options?: CallOptions): List<SandboxPage> {
    return this.client.list('listSandboxes', { path: where, ...(filters && { query: filters }) }, options);
  }

  get(where: OneSandbox, options?: CallOptions): Promise<Sandbox> {
    return this.client.call('getSandbox', { path: where }, options);
  }

  /** Ends a sandbox; the disk of its runtime stays. */
  kill(where: OneSandbox, options?: CallOptions): Promise<void> {
    return this.client.call('killSandbox', { path: where }, options);
  }

  /** Lists the events of a sandbox, and its network requests. */
  listLogs(
    where: OneSandbox,
    filters?: QueryOf<'listSandboxLogs'>,
    options?: CallOptions,
  ): List<SandboxLogPage> {
    return this.client.list('listSandboxLogs', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns how long your sandboxes ran. */
  getUsage(where: InOrganization, options?: CallOptions): Promise<SandboxUsageResponse> {
    return this.client.call('getSandboxUsage', { path: where }, options);
  }

  /** Lists the sandbox providers of this server, and their features. */
  listProviders(where: InOrganization, options?: CallOptions): List<SandboxProvider[]> {
    return this.client.list('listSandboxProviders', { path: where }, options);
  }
}
