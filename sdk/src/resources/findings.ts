/** Findings of the red team: what an attack achieved for a goal, and the triage decisions. */
import type {
  AssessmentResponse,
  BulkFindingRequest,
  BulkFindingResponse,
  FindingDetail,
  FindingListResponse,
  RegressionTaskRequest,
  RegressionTaskResponse,
  RetestRequest,
  UpdateFindingRequest,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneFinding, type OneRedTeamProject, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const { items } = await drydock.findings.list({ ...where, project: 'default' }, { finding_status: 'open' });
 * const [worst] = items;
 * if (worst) {
 *   const { review_events } = await drydock.findings.update(
 *     { ...where, finding_id: worst.id },
 *     { finding_status: 'accepted_risk', notes: 'The code is public anyway.' },
 *   );
 *   console.log(review_events.at(-1)?.updated_status); // → accepted_risk
 * }
 * ```
 */
export class Findings extends Resource {
  /** Lists the findings of a project, the highest score first. */
  list(
    where: OneRedTeamProject,
    filters?: QueryOf<'listProjectFindings'>,
    options?: CallOptions,
  ): List<FindingListResponse> {
    return this.client.list(
      'listProjectFindings',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Returns a finding with its history and its best trials. */
  get(where: OneFinding, options?: CallOptions): Promise<FindingDetail> {
    return this.client.call('getFinding', { path: where }, options);
  }

  /** Changes the triage of a finding. Every change is kept as a review event. */
  update(where: OneFinding, request: UpdateFindingRequest, options?: CallOptions): Promise<FindingDetail> {
    return this.client.call('updateFinding', { path: where, body: request }, options);
  }

  /** Applies the same change to up to 500 findings: to all of them or none. */
  updateMany(
    where: InWorkspace,
    request: BulkFindingRequest,
    options?: CallOptions,
  ): Promise<BulkFindingResponse> {
    return this.client.call('updateFindings', { path: where, body: request }, options);
  }

  /** Tries the attack again, on the same target or another version of it. */
  retest(where: OneFinding, request: RetestRequest, options?: CallOptions): Promise<AssessmentResponse> {
    return this.client.call('retestFinding', { path: where, body: request }, options);
  }

  /** Publishes the finding as a task of a task set, so that later versions are tested against the attack. */
  createRegressionTask(
    where: OneFinding,
    request?: RegressionTaskRequest,
    options?: CallOptions,
  ): Promise<RegressionTaskResponse> {
    return this.client.call(
      'createRegressionTask',
      { path: where, ...(request && { body: request }) },
      options,
    );
  }
}
