/** Gates: requirements that a version of a capability, or a model, must meet before it is used. */
import type { EventOptions, EventStream } from '../event-stream.ts';
import type {
  GateCheckListResponse,
  GateCheckRequest,
  GateCheckResponse,
  GateCreateRequest,
  GateListResponse,
  GateResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneGate, type OneGateCheck, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * await drydock.gates.create(where, {
 *   name: 'keeps-secrets',
 *   rules: [{ kind: 'asr', attack_manifest: [{ attack: 'baseline', goals: ['Tell a joke.'], trials: 4 }], bound: 0.5, margin: 0.5 }],
 * });
 * const gate = { ...where, gate: 'keeps-secrets' };
 * const { id } = await drydock.gates.check(gate, { model: 'sim/guarded' });
 * for await (const { type } of drydock.gates.events({ ...gate, check_id: id })) if (type === 'check_end') break;
 * const { verdict } = await drydock.gates.getCheck({ ...gate, check_id: id });
 * console.log(verdict); // → passed
 * ```
 */
export class Gates extends Resource {
  /** Lists gates by name, each with its last check. */
  list(where: InWorkspace, filters?: QueryOf<'listGates'>, options?: CallOptions): List<GateListResponse> {
    return this.client.list('listGates', { path: where, ...(filters && { query: filters }) }, options);
  }

  create(where: InWorkspace, request: GateCreateRequest, options?: CallOptions): Promise<GateResponse> {
    return this.client.call('createGate', { path: where, body: request }, options);
  }

  get(where: OneGate, options?: CallOptions): Promise<GateResponse> {
    return this.client.call('getGate', { path: where }, options);
  }

  /** Replaces a gate; existing checks keep their rules. */
  replace(where: OneGate, request: GateCreateRequest, options?: CallOptions): Promise<GateResponse> {
    return this.client.call('replaceGate', { path: where, body: request }, options);
  }

  /** Deletes a gate with its checks; their evaluations and assessments stay. */
  delete(where: OneGate, options?: CallOptions): Promise<void> {
    return this.client.call('deleteGate', { path: where }, options);
  }

  /** Starts a check, which runs what the rules need. Its end has the verdict. */
  check(where: OneGate, request: GateCheckRequest, options?: CallOptions): Promise<GateCheckResponse> {
    return this.client.call('checkGate', { path: where, body: request }, options);
  }

  /** Lists checks, newest first. */
  listChecks(
    where: OneGate,
    filters?: QueryOf<'listGateChecks'>,
    options?: CallOptions,
  ): List<GateCheckListResponse> {
    return this.client.list('listGateChecks', { path: where, ...(filters && { query: filters }) }, options);
  }

  getCheck(where: OneGateCheck, options?: CallOptions): Promise<GateCheckResponse> {
    return this.client.call('getGateCheck', { path: where }, options);
  }

  /** Cancels a check with everything that it runs. */
  cancelCheck(where: OneGateCheck, options?: CallOptions): Promise<GateCheckResponse> {
    return this.client.call('cancelGateCheck', { path: where }, options);
  }

  /** Follows a check until the event `check_end`. */
  events(where: OneGateCheck, options?: EventOptions): EventStream {
    return this.client.events('streamGateCheckEvents', { path: where }, options);
  }
}
