/** Optimization jobs: better texts for the agent of a capability, found by scoring and reflection. */
import type { EventOptions, EventStream } from '../event-stream.ts';
import type {
  OptimizationArtifactsResponse,
  OptimizationCandidateListResponse,
  OptimizationEstimateResponse,
  OptimizationExampleListResponse,
  OptimizationJobCreateRequest,
  OptimizationJobListResponse,
  OptimizationJobResponse,
  OptimizationLogsResponse,
  OptimizationPromoteRequest,
  OptimizationPromoteResponse,
  OptimizationProposalListResponse,
  OptimizationRetryRequest,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneOptimizationJob, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * import { execFileSync } from 'node:child_process';
 * import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
 *
 * const where = { org: 'main', workspace: 'main' };
 * const folder = mkdtempSync('/tmp/clerk-');
 * mkdirSync(`${folder}/agents`);
 * writeFileSync(`${folder}/agents/clerk.md`, 'You are a helpful assistant.\n');
 * writeFileSync(
 *   `${folder}/capability.yaml`,
 *   'schema: 1\nname: clerk\nversion: 1.0.0\ndescription: Answers questions\n',
 * );
 * const bundle = execFileSync('tar', ['czf', '-', '-C', folder, '.']);
 * const clerk = { org: 'main', name: 'clerk', version: '1.0.0' };
 * await drydock.capabilities.publish(clerk, new Uint8Array(bundle));
 *
 * const numbers = Array.from({ length: 10 }, (_, index) => index);
 * const lines = numbers.map((n) => `{"input": "What is ${n} + 25?", "expected_output": "${n + 25}"}\n`);
 * const rows = new TextEncoder().encode(lines.join(''));
 * const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', rows)).toString('hex');
 * const sums = { org: 'main', name: 'clerk-sums', version: '1.0.0' };
 * const upload = await drydock.datasets.createUpload(sums, {
 *   manifest: { summary: 'Sums' },
 *   files: [{ path: 'train.jsonl', size_bytes: rows.length, sha256 }],
 * });
 * for (const { url } of upload.files) if (url) await fetch(url, { method: 'PUT', body: rows });
 * await drydock.datasets.completeUpload(sums);
 *
 * const { id } = await drydock.optimization.create(where, {
 *   target_kind: 'capability_agent',
 *   model: 'sim/instructed',
 *   capability_ref: { name: 'clerk', version: '1.0.0' },
 *   dataset_ref: { name: 'clerk-sums', version: '1.0.0' },
 *   reward_recipe: { name: 'exact_match_v1' },
 *   config: { reflection_lm: 'sim/reflector', max_metric_calls: 30 },
 * });
 * const mine = { ...where, job_id: id };
 *
 * for await (const event of drydock.optimization.events(mine)) {
 *   if (event.type === 'optimization_end') break;
 * }
 * const { status, summary } = await drydock.optimization.get(mine);
 * console.log(status, summary.metadata.seed_score, summary.best_score); // → completed 0 1
 * console.log(summary.best_candidate?.['instructions']?.split('\n')[1]); // → Answer with the result only.
 *
 * const { version, changed_files } = await drydock.optimization.promote(mine, { version: '1.1.0' });
 * console.log(version, changed_files); // → 1.1.0 [ 'agents/clerk.md' ]
 * ```
 */
export class Optimization extends Resource {
  /** Validates everything, pins versions and rows, and starts. */
  create(
    where: InWorkspace,
    request: OptimizationJobCreateRequest,
    options?: CallOptions,
  ): Promise<OptimizationJobResponse> {
    return this.client.call('createOptimizationJob', { path: where, body: request }, options);
  }

  /** Estimates the calls and cost of a job without creating it. */
  estimate(
    where: InWorkspace,
    request: OptimizationJobCreateRequest,
    options?: CallOptions,
  ): Promise<OptimizationEstimateResponse> {
    return this.client.call('estimateOptimizationJob', { path: where, body: request }, options);
  }

  /** Lists jobs, newest first. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listOptimizationJobs'>,
    options?: CallOptions,
  ): List<OptimizationJobListResponse> {
    return this.client.list(
      'listOptimizationJobs',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  get(where: OneOptimizationJob, options?: CallOptions): Promise<OptimizationJobResponse> {
    return this.client.call('getOptimizationJob', { path: where }, options);
  }

  /** Stops a job within seconds. All results so far are kept. */
  cancel(where: OneOptimizationJob, options?: CallOptions): Promise<OptimizationJobResponse> {
    return this.client.call('cancelOptimizationJob', { path: where }, options);
  }

  /** Creates a new job that continues from the results of this one. */
  retry(
    where: OneOptimizationJob,
    request: OptimizationRetryRequest,
    options?: CallOptions,
  ): Promise<OptimizationJobResponse> {
    return this.client.call('retryOptimizationJob', { path: where, body: request }, options);
  }

  /** Publishes a candidate, by default the best, as a new version of the capability. */
  promote(
    where: OneOptimizationJob,
    request: OptimizationPromoteRequest,
    options?: CallOptions,
  ): Promise<OptimizationPromoteResponse> {
    return this.client.call('promoteOptimizationCandidate', { path: where, body: request }, options);
  }

  /** Lists the accepted candidates, in the order in which they were found. */
  candidates(
    where: OneOptimizationJob,
    filters?: QueryOf<'listOptimizationCandidates'>,
    options?: CallOptions,
  ): List<OptimizationCandidateListResponse> {
    return this.client.list(
      'listOptimizationCandidates',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Lists all proposals, including rejected ones. */
  proposals(
    where: OneOptimizationJob,
    filters?: QueryOf<'listOptimizationProposals'>,
    options?: CallOptions,
  ): List<OptimizationProposalListResponse> {
    return this.client.list(
      'listOptimizationProposals',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Lists the rows or tasks on which candidates are scored. */
  examples(
    where: OneOptimizationJob,
    filters?: QueryOf<'listOptimizationExamples'>,
    options?: CallOptions,
  ): List<OptimizationExampleListResponse> {
    return this.client.list(
      'listOptimizationExamples',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  logs(
    where: OneOptimizationJob,
    filters?: QueryOf<'listOptimizationLogs'>,
    options?: CallOptions,
  ): Promise<OptimizationLogsResponse> {
    return this.client.call(
      'listOptimizationLogs',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }

  /** Returns the files of the capability that the best candidate changes. */
  artifacts(where: OneOptimizationJob, options?: CallOptions): Promise<OptimizationArtifactsResponse> {
    return this.client.call('getOptimizationArtifacts', { path: where }, options);
  }

  /** Follows decisions, scores and the budget, from the first event on. */
  events(where: OneOptimizationJob, options?: EventOptions): EventStream {
    return this.client.events('streamOptimizationEvents', { path: where }, options);
  }
}
