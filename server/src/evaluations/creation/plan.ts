/** Checks a request and resolves its references: everything that can be wrong with an evaluation is found before it is stored. */
import { findProjectId, findSecretIds } from '../../accounts/service.ts';
import type { Inference } from '../../inference/service.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, type Issue, invalidValue, invalidValues } from '../../platform/errors.ts';
import { toArtifactNode } from '../../platform/lineage/lineage.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { FoundTask } from '../../registry/service.ts';
import { findOwnConfig, hasSandboxProvider, type RuntimeConfigOf } from '../../runtimes/service.ts';
import type { EvaluatedDataset } from '../stored-request.ts';
import { type EvaluatedRow, findDataset, readEvaluatedRows } from './dataset-rows.ts';
import { type FoundAgent, findAgent } from './find-agent.ts';
import { findNamedTasks, findSetTasks } from './find-tasks.ts';
import {
  type EvaluationRequest,
  isComparing,
  type NamedScorer,
  type ScorerRequest,
  type SkippedMemberOf,
} from './schema.ts';

export interface PlanOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
  readonly inference: Inference;
}

export interface EvaluationPlan {
  readonly tasks: readonly FoundTask[];
  readonly skipped: readonly SkippedMemberOf[];
  readonly rows: readonly EvaluatedRow[];
  /** The exact version of the dataset, and its split. */
  readonly dataset: { readonly version: string; readonly evaluated: EvaluatedDataset } | null;
  /** null: each row is a single model call. */
  readonly agent: FoundAgent | null;
  readonly scorers: readonly NamedScorer[];
  readonly timeoutSeconds: number | null;
  /** The configuration of the runtime that is the template of sandboxes. */
  readonly template: RuntimeConfigOf | null;
  readonly price: { readonly input_price: number; readonly output_price: number };
  readonly totalSamples: number;
}

/** @throws {ApiError} `validation_error` */
export async function planEvaluation(
  options: PlanOptions,
  scope: WorkspaceScope,
  request: EvaluationRequest,
  signal: AbortSignal,
): Promise<EvaluationPlan> {
  const { db, inference } = options;
  const scorers = toNamedScorers(request.scorers ?? []);
  requireExpected(request, scorers);
  const { price } = await getModel(inference, scope, request.model);
  await requireReferences(db, scope, request);
  const template = await findTemplate(db, scope, request.runtime_id);
  const { tasks, skipped } = await findAllTasks(db, scope, request);
  await requireJudges(inference, scope, tasks);
  const isAgent = !request.dataset || (request.agent ?? null) !== null;
  if (isAgent && !(await hasSandboxProvider(db)))
    throw invalidValue(['body'], 'No provider of sandboxes is available here, and agents work in sandboxes.');
  const agent = isAgent ? await findAgent(options, scope, request) : null;
  const { rows, dataset } = await readRows(options, scope, request, scorers, signal);
  return {
    tasks,
    skipped,
    rows,
    dataset,
    agent,
    scorers,
    timeoutSeconds: request.limits?.task_timeout_seconds ?? request.task_timeout_sec ?? null,
    template,
    price,
    totalSamples: (tasks.length + rows.length) * request.repetitions,
  };
}

async function getModel(inference: Inference, { organizationId }: WorkspaceScope, model: string) {
  try {
    return await inference.getModel(organizationId, model);
  } catch (error) {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(['body', 'model'], error.message);
  }
}

/** Tasks of the red team name the model that judges their answers. */
export async function requireJudges(
  inference: Inference,
  { organizationId }: WorkspaceScope,
  tasks: readonly FoundTask[],
): Promise<void> {
  const judges = new Map<string, string>();
  for (const { name, details } of tasks)
    if (details.verification.method === 'resists_attack' && details.verification.judge_model !== null)
      judges.set(details.verification.judge_model, name);
  for (const [judge, task] of judges) {
    const isOffered = await inference.getModel(organizationId, judge).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
        return false;
      },
    );
    if (!isOffered)
      throw invalidValue(
        ['body'],
        `Task "${task}" is judged by the model "${judge}", which is not offered here; add its provider`,
      );
  }
}

async function findAllTasks(db: Db, scope: WorkspaceScope, { task_names, task_set }: EvaluationRequest) {
  if (task_names) return findNamedTasks(db, scope, task_names);
  return task_set ? findSetTasks(db, scope, task_set) : { tasks: [], skipped: [] };
}

async function readRows(
  { db, storage, local }: PlanOptions,
  scope: WorkspaceScope,
  { dataset }: EvaluationRequest,
  scorers: readonly ScorerRequest[],
  signal: AbortSignal,
) {
  if (!dataset) return { rows: [], dataset: null };
  const found = await findDataset(db, scope, dataset, scorers);
  const read = { dataset, scorers, by: scope.organizationId };
  const rows = await readEvaluatedRows({ db, storage, local }, found, read, signal);
  const { version, split } = found;
  const node = toArtifactNode(scope.organizationId, 'dataset', { ...found, name: dataset.name });
  return { rows, dataset: { version, evaluated: { node, split: split.name } } };
}

/** Gives each scorer a unique name, the key of its score: `exact`, `exact_2`, … unless given. */
function toNamedScorers(scorers: readonly ScorerRequest[]): NamedScorer[] {
  const names = new Set<string>();
  return scorers.map((scorer, index) => {
    const { name: given, type } = scorer;
    if (given && names.has(given))
      throw invalidValue(['body', 'scorers', index, 'name'], 'is in the list already');
    let name = given ?? type;
    for (let number = 2; names.has(name); number++) name = `${type}_${number}`;
    names.add(name);
    return { ...scorer, name };
  });
}

/** A scorer without an expected value could only fail, so it is refused. */
function requireExpected({ dataset }: EvaluationRequest, scorers: readonly ScorerRequest[]): void {
  const issues: Issue[] = [];
  for (const [index, scorer] of scorers.entries()) {
    if (!isComparing(scorer)) continue;
    const { value, column } = scorer;
    const loc = ['body', 'scorers', index];
    if (column && !dataset)
      issues.push({
        loc: [...loc, 'column'],
        msg: 'needs a dataset; tasks have no columns',
        type: 'invalid_value',
      });
    const hasValue =
      (value ?? null) !== null || (column ?? null) !== null || (dataset?.expected ?? null) !== null;
    if (!hasValue) {
      const msg = 'has nothing to compare the answer with; give value, column or dataset.expected';
      issues.push({ loc, msg, type: 'invalid_value' });
    }
  }
  if (issues.length > 0) throw invalidValues(issues);
}

async function requireReferences(
  db: Db,
  scope: WorkspaceScope,
  { project_id, secret_ids }: EvaluationRequest,
): Promise<void> {
  if (project_id && !(await findProjectId(db, scope, project_id)))
    throw invalidValue(['body', 'project_id'], 'names no project of this workspace');
  const ids = secret_ids ?? [];
  const known = ids.length > 0 ? await findSecretIds(db, scope.principal.userId, ids) : new Set<string>();
  const missing = ids.findIndex((id) => !known.has(id));
  if (missing >= 0) throw invalidValue(['body', 'secret_ids', missing], 'names no secret of yours');
}

async function findTemplate(db: Db, scope: WorkspaceScope, runtimeId: string | null | undefined) {
  if (!runtimeId) return null;
  const config = await findOwnConfig(db, scope, runtimeId);
  if (!config) throw invalidValue(['body', 'runtime_id'], 'names no runtime of yours in this workspace');
  return config;
}
