/** Red-team assessments: attacks on a model, a service or an agent of your own. */
import type { EventOptions, EventStream } from '../event-stream.ts';
import type {
  AirtAnalytics,
  AirtAttackSpan,
  AirtTrialSpan,
  AssessmentEstimateResponse,
  AssessmentListResponse,
  AssessmentReport,
  AssessmentResponse,
  CreateAssessmentRequest,
  CreateReportRequest,
  FindingListResponse,
  TrialListResponse,
  UpdateAssessmentRequest,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneAssessment, type OneReport, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const { id: project_id } = await drydock.projects.get({ ...where, project: 'default' });
 * const { id } = await drydock.assessments.create(
 *   where,
 *   {
 *     name: 'Does it keep its secret?',
 *     target_model: 'sim/guarded',
 *     attack_manifest: [
 *       { attack: 'baseline', goal_category: 'credential_leak', trials: 3 },
 *       { attack: 'crescendo', goal_category: 'credential_leak', trials: 8 },
 *     ],
 *   },
 *   { project_id },
 * );
 * const mine = { ...where, assessment_id: id };
 * await drydock.assessments.start(mine);
 *
 * for await (const event of drydock.assessments.events(mine)) {
 *   if (event.type === 'assessment_end') break;
 * }
 * const { status, progress } = await drydock.assessments.get(mine);
 * console.log(status, progress.findings === progress.completed_findings); // → completed true
 *
 * const { by_attack, risk_score } = await drydock.assessments.analytics(mine);
 * console.log(by_attack.map(({ name }) => name).sort(), risk_score > 0); // → [ 'baseline', 'crescendo' ] true
 *
 * const { content } = await drydock.assessments.createReport(mine, { report_type: 'markdown' });
 * console.log(content?.split('\n')[0]); // → # Red-team report: Does it keep its secret?
 * const archive = await drydock.assessments.evidence(mine);
 * console.log((await archive.arrayBuffer()).byteLength > 0); // → true
 * ```
 */
export class Assessments extends Resource {
  /** Creates an assessment, which waits until it is started. */
  create(
    where: InWorkspace,
    request: CreateAssessmentRequest,
    query: QueryOf<'createAssessment'>,
    options?: CallOptions,
  ): Promise<AssessmentResponse> {
    return this.client.call('createAssessment', { path: where, body: request, query }, options);
  }

  /** Estimates the trials and cost of an assessment without creating it. */
  estimate(
    where: InWorkspace,
    request: CreateAssessmentRequest,
    options?: CallOptions,
  ): Promise<AssessmentEstimateResponse> {
    return this.client.call('estimateAssessment', { path: where, body: request }, options);
  }

  /** Lists assessments, newest first. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listAssessments'>,
    options?: CallOptions,
  ): List<AssessmentListResponse> {
    return this.client.list('listAssessments', { path: where, ...(filters && { query: filters }) }, options);
  }

  get(where: OneAssessment, options?: CallOptions): Promise<AssessmentResponse> {
    return this.client.call('getAssessment', { path: where }, options);
  }

  /** Renames an assessment, or sets the status of one that you run yourself. */
  update(
    where: OneAssessment,
    request: UpdateAssessmentRequest,
    options?: CallOptions,
  ): Promise<AssessmentResponse> {
    return this.client.call('updateAssessment', { path: where, body: request }, options);
  }

  /** Deletes an assessment with its findings and trials. */
  delete(where: OneAssessment, options?: CallOptions): Promise<void> {
    return this.client.call('deleteAssessment', { path: where }, options);
  }

  /** Runs its attacks on the server. */
  start(where: OneAssessment, options?: CallOptions): Promise<AssessmentResponse> {
    return this.client.call('startAssessment', { path: where }, options);
  }

  /** Stops an assessment within seconds. All results so far are kept. */
  cancel(where: OneAssessment, options?: CallOptions): Promise<AssessmentResponse> {
    return this.client.call('cancelAssessment', { path: where }, options);
  }

  /** Follows trials and findings as they end, from the first event on. */
  events(where: OneAssessment, options?: EventOptions): EventStream {
    return this.client.events('streamAssessmentEvents', { path: where }, options);
  }

  /** Lists its findings, the highest score first. */
  findings(
    where: OneAssessment,
    filters?: QueryOf<'listAssessmentFindings'>,
    options?: CallOptions,
  ): List<FindingListResponse> {
    return this.client.list(
      'listAssessmentFindings',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  trials(
    where: OneAssessment,
    filters?: QueryOf<'listTrials'>,
    options?: CallOptions,
  ): List<TrialListResponse> {
    return this.client.list('listTrials', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns rates by attack, category, transform and goal, with triage decisions. */
  analytics(where: OneAssessment, options?: CallOptions): Promise<AirtAnalytics> {
    return this.client.call('getAssessmentAnalytics', { path: where }, options);
  }

  /** Lists the newest 100 reports with their content. */
  reports(where: OneAssessment, options?: CallOptions): Promise<AssessmentReport[]> {
    return this.client.call('listReports', { path: where }, options);
  }

  /** Generates a report of an ended assessment, or stores the given one. */
  createReport(
    where: OneAssessment,
    request: CreateReportRequest,
    options?: CallOptions,
  ): Promise<AssessmentReport> {
    return this.client.call('createReport', { path: where, body: request }, options);
  }

  report(where: OneReport, options?: CallOptions): Promise<AssessmentReport> {
    return this.client.call('getReport', { path: where }, options);
  }

  /** Downloads a signed zip archive of all results. `.body` is a stream. */
  evidence(where: OneAssessment, options?: CallOptions): Promise<Response> {
    return this.client.file('getEvidence', { path: where }, options);
  }

  /** Lists its attack runs. */
  attackSpans(where: OneAssessment, options?: CallOptions): Promise<AirtAttackSpan[]> {
    return this.client.call('listAttackSpans', { path: where }, options);
  }

  /** Lists its best trials. */
  trialSpans(
    where: OneAssessment,
    filters?: QueryOf<'listTrialSpans'>,
    options?: CallOptions,
  ): Promise<AirtTrialSpan[]> {
    return this.client.call('listTrialSpans', { path: where, ...(filters && { query: filters }) }, options);
  }
}
