/** Checks a request and resolves its references, so that a job that cannot run is rejected before it is stored. */
import { findProjectId } from '../../accounts/service.ts';
import { BASIC, readCapabilityTexts, requireJudges } from '../../evaluations/service.ts';
import type { Inference } from '../../inference/service.ts';
import { type CapabilityTexts, findComponents } from '../../platform/agent/capability-components.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { type ChosenCapability, getCapability, getDigest } from '../../registry/service.ts';
import { hasSandboxProvider } from '../../runtimes/service.ts';
import { type OptimizationConfig, OptimizationJobConfigRequest } from '../config-schema.ts';
import type { StoredRequest } from '../stored-job.ts';
import { type FoundExamples, findExamples } from './examples.ts';
import type { CreateRequest } from './schema.ts';

export interface PlanOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
  readonly inference: Inference;
}

interface Price {
  readonly input_price: number;
  readonly output_price: number;
}

export interface JobPlan {
  readonly stored: StoredRequest;
  readonly seedCandidate: Readonly<Record<string, string>>;
  readonly sets: FoundExamples['sets'];
  readonly projectId: string | null;
  readonly warnings: readonly string[];
  readonly prices: { readonly model: Price; readonly reflection: Price };
}

const DEFAULT_METRIC_CALLS = 100;

/** @throws {ApiError} `validation_error` */
export async function planJob(
  options: PlanOptions,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<JobPlan> {
  const { db } = options;
  const given = OptimizationJobConfigRequest.parse(request.config ?? {});
  const model = await getPrice(options, scope, request.model, ['body', 'model']);
  const { reflection_lm } = given;
  const reflection = reflection_lm
    ? await getPrice(options, scope, reflection_lm, ['body', 'config', 'reflection_lm'])
    : model;
  const projectId = request.project ? await findProjectId(db, scope, request.project) : null;
  if (projectId === undefined) throw invalidValue(['body', 'project'], 'names no project of this workspace');
  if (request.target_kind === 'capability_env' && !(await hasSandboxProvider(db)))
    throw invalidValue(['body'], 'No provider of sandboxes is available here, and agents work in sandboxes.');
  const capability = await findCapability(options, scope, request);
  const examples = await findExamples(options, scope, request, signal);
  const { train, validation } = examples.sets;
  await requireJudges(
    options.inference,
    scope,
    [...train, ...validation].flatMap(({ task }) => task ?? []),
  );
  const { config, floor, warnings } = planBudget(
    { ...given, timeout_sec: request.timeout_sec ?? given.timeout_sec },
    validation.length || train.length,
  );
  const stored: StoredRequest = {
    capability: capability.chosen,
    agent_name: capability.agentName,
    components: capability.components,
    config,
    dataset_ref: examples.datasetRef,
    val_dataset_ref: examples.valDatasetRef,
    dataset_version: examples.datasetVersion,
    val_dataset_version: examples.valDatasetVersion,
    task_refs: examples.taskRefs,
    val_task_refs: examples.valTaskRefs,
    task_set: request.task_set ?? null,
    reward_recipe: request.reward_recipe,
    objective: request.objective ?? null,
    holdout_fraction: examples.holdoutFraction,
    run_ref: request.run_ref ?? null,
    metric_calls_floor: floor,
  };
  return {
    stored,
    seedCandidate: capability.seedCandidate,
    sets: examples.sets,
    projectId,
    warnings: [...warnings, ...describeSkipped(examples.skipped)],
    prices: { model, reflection },
  };
}

const describeSkipped = (skipped: readonly string[]) =>
  skipped.length === 0
    ? []
    : [`Members of the task set that do not resolve are left out: ${skipped.join(', ')}.`];

async function getPrice(
  { inference }: PlanOptions,
  { organizationId }: WorkspaceScope,
  model: string,
  loc: string[],
) {
  try {
    return (await inference.getModel(organizationId, model)).price;
  } catch (error) {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(loc, error.message);
  }
}

async function findCapability(options: PlanOptions, scope: WorkspaceScope, request: CreateRequest) {
  const { name, version } = request.capability_ref;
  const chosen = await getCapability(options.db, scope, name, version).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(['body', 'capability_ref'], error.message);
  });
  const texts = await readCapabilityTexts(options, chosen);
  const agentName = chooseAgent(texts, chosen, request);
  const seedCandidate = chooseComponents(texts, agentName, chosen, request);
  const components = [...new Set(Object.keys(seedCandidate).map((key) => key.split('/')[0] ?? key))];
  return {
    chosen: { ...chosen, digest: await getDigest(options.db, chosen) },
    agentName,
    seedCandidate,
    components,
  };
}

function chooseAgent(
  { agents }: CapabilityTexts,
  { name, version }: ChosenCapability,
  request: CreateRequest,
): string {
  const { agent_name: given, target_kind } = request;
  const loc = ['body', 'agent_name'];
  const known = [...agents.keys()].map((one) => `"${one}"`).join(', ') || 'none';
  if (given) {
    if (agents.has(given) || (given === BASIC && target_kind === 'capability_env')) return given;
    throw invalidValue(loc, `"${given}" is not an agent of ${name}@${version}; it has ${known}`);
  }
  if (agents.size > 1) throw invalidValue(loc, `must name one of the agents of ${name}@${version}: ${known}`);
  const [only] = agents.keys();
  if (only !== undefined) return only;
  if (target_kind === 'capability_env') return BASIC;
  throw invalidValue(
    ['body', 'capability_ref'],
    `${name}@${version} has no agent, whose instructions could be improved`,
  );
}

/** @returns the texts to begin with */
function chooseComponents(
  texts: CapabilityTexts,
  agent: string,
  { name, version }: ChosenCapability,
  { target_kind, components }: CreateRequest,
): Record<string, string> {
  const found = findComponents(texts, agent);
  const isSingleCall = target_kind === 'capability_agent';
  const has = (kind: string) => [...found.values()].some((component) => component.kind === kind);
  const missing = components?.find((kind) => !has(kind));
  if (missing !== undefined)
    throw invalidValue(
      ['body', 'components'],
      `${name}@${version} has no "${missing}" of the agent "${agent}"`,
    );
  const wanted = new Set<string>(
    components ?? (isSingleCall ? ['instructions'] : [...found.values()].map(({ kind }) => kind)),
  );
  if (!isSingleCall) wanted.delete('instructions');
  const chosen = [...found].filter(([, { kind }]) => wanted.has(kind));
  if (chosen.length > 0) return toStorable(Object.fromEntries(chosen.map(([key, { text }]) => [key, text])));
  throw invalidValue(['body', 'capability_ref'], `${name}@${version} has no text that could be improved`);
}

/** @param valSize rows or tasks that every accepted candidate is scored on */
function planBudget(given: OptimizationConfig, valSize: number) {
  const { max_metric_calls, max_trials, max_trials_without_improvement, max_runtime_sec } = given;
  const floor = valSize + given.concurrency * (2 * given.reflection_minibatch_size + valSize);
  if (max_metric_calls && max_metric_calls <= valSize)
    throw invalidValue(
      ['body', 'config', 'max_metric_calls'],
      `is ${max_metric_calls}, and scoring the capability as it is takes ${valSize} metric calls, one for each row or task of ` +
        `the validation set; give at least ${floor} for one iteration`,
    );
  const warnings =
    max_metric_calls && max_metric_calls < floor
      ? [
          `max_metric_calls is ${max_metric_calls}; the seed and one iteration with an accepted candidate take ${floor}.`,
        ]
      : [];
  const hasStop = [max_metric_calls, max_trials, max_trials_without_improvement, max_runtime_sec].some(
    (one) => (one ?? null) !== null,
  );
  const config = hasStop ? given : { ...given, max_metric_calls: Math.max(DEFAULT_METRIC_CALLS, floor) };
  return { config, floor, warnings };
}
