/** Plans the run of an assessment: everything that can be wrong with it is found before it starts. */
import { createHash } from 'node:crypto';
import { findAgent, findNamedTasks } from '../../evaluations/service.ts';
import type { Inference } from '../../inference/service.ts';
import { BoundError } from '../../platform/analytics/data-file.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { Attack } from '../../platform/red-team/attacks/attack.ts';
import { findAttack } from '../../platform/red-team/attacks/catalogue.ts';
import { GOAL_CATEGORIES } from '../../platform/red-team/goals/goal-categories.ts';
import { DEFAULT_THRESHOLD } from '../../platform/red-team/scoring/summary.ts';
import { findTransform } from '../../platform/red-team/transforms/catalogue.ts';
import { toStorableText } from '../../platform/storable-text.ts';
import { findSplit, readSplit } from '../../registry/service.ts';
import { hasSandboxProvider } from '../../runtimes/service.ts';
import type { StoredAttack, StoredExecution } from '../stored-run.ts';
import { modelsOf } from './create.ts';
import { DEFAULT_TRIALS, type ManifestEntry, readParams, runnableEntries } from './manifest.ts';
import type { CreateRequest } from './schema.ts';
import { readTargetConfig, type TargetConfig } from './target-config.ts';

export interface PlanOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly local: LocalFiles;
  readonly inference: Inference;
}

export type PlannedRequest = Pick<
  CreateRequest,
  'attack_manifest' | 'attacker_config' | 'target_config' | 'attacker_model' | 'judge_model' | 'target_model'
>;

export interface PlannedFinding {
  readonly attack: Attack;
  readonly goal: string;
  readonly goalCategory: string | null;
  readonly request: StoredAttack;
}

export interface RunPlan {
  readonly execution: StoredExecution;
  readonly findings: readonly PlannedFinding[];
}

const MAX_FINDINGS = 5_000;
const MAX_GOAL_CHARACTERS = 20_000;
const DEFAULT_CONCURRENCY = 8;
const SIMULATED = { attacker: 'sim/attacker', judge: 'sim/judge' };

/** Categories of attacks whose goals are their own. */
const OWN_CATEGORY: Readonly<Record<string, string>> = {
  canary_extraction: 'credential_leak',
  system_prompt_extraction: 'system_prompt_leak',
  tool_misuse: 'tool_misuse',
};

/** @throws {ApiError} `conflict_error` where nothing can be run, `validation_error` for missing models and unknown references */
export async function planRun(
  options: PlanOptions,
  scope: WorkspaceScope,
  request: PlannedRequest,
  signal: AbortSignal,
): Promise<RunPlan> {
  const entries = runnableEntries(request.attack_manifest ?? []);
  if (entries.length === 0)
    throw new ApiError(
      'conflict_error',
      'The attack_manifest names no attack that the server can run; create an assessment with entries such as {"attack": "pair", "goals": ["…"]}.',
    );
  const target = readTargetConfig(request.target_config ?? null);
  const seed = request.attacker_config?.seed ?? null;
  const findings: PlannedFinding[] = [];
  for (const { index, entry } of entries) {
    const goals = await findGoals(options, scope, entry, index, signal);
    findings.push(...goals.map((goal) => toFinding(entry, index, goal, target, seed ?? 0)));
    if (findings.length > MAX_FINDINGS)
      throw invalidValue(
        ['body', 'attack_manifest'],
        `has more than ${MAX_FINDINGS} pairs of attack and goal; split it into several assessments`,
      );
  }
  const models = await findModels(options, scope, request, target, findings);
  const { temperature, max_tokens, concurrency, budget_usd } = request.attacker_config ?? {};
  return {
    findings,
    execution: {
      target,
      ...models,
      attackerSampling: {
        ...((temperature ?? null) !== null && { temperature: temperature as number }),
        ...((max_tokens ?? null) !== null && { max_tokens: max_tokens as number }),
      },
      seed: seed ?? 0,
      hasSeed: seed !== null,
      concurrency: concurrency ?? DEFAULT_CONCURRENCY,
      budgetUsd: budget_usd ?? null,
      agent: await findTargetAgent(options, scope, target),
    },
  };
}

function toFinding(
  entry: ManifestEntry,
  index: number,
  goal: string,
  target: TargetConfig,
  seed: number,
): PlannedFinding {
  const attack = findAttack(entry.attack);
  if (!attack) throw new Error(`attack ${entry.attack} was checked before`);
  const { own, exhaustive, threshold, canary: given } = readParams(entry.attack, entry.params);
  const needsCanary = entry.attack === 'canary_extraction';
  if (needsCanary && !given && target.kind !== 'model')
    throw invalidValue(
      ['body', 'attack_manifest', index, 'params', 'canary'],
      `is needed: a canary can be added to the system prompt of a model only, and the target is of the kind ${target.kind}`,
    );
  const canary = given ?? (needsCanary ? newCanary(seed) : null);
  const chains = entry.transforms ?? [];
  const holdsCanary =
    canary !== null && target.kind === 'model' && (target.config.system_prompt ?? '').includes(canary);
  return {
    attack,
    goal,
    goalCategory: entry.goal_category ?? OWN_CATEGORY[entry.attack] ?? null,
    request: {
      trials: entry.trials ?? attack.defaultTrials?.(chains) ?? DEFAULT_TRIALS,
      threshold: threshold ?? attack.threshold ?? DEFAULT_THRESHOLD,
      exhaustive: exhaustive || !attack.stopsEarly,
      chains,
      params: own,
      canary,
      plantsCanary: canary !== null && target.kind === 'model' && !holdsCanary,
      replayed: [],
    },
  };
}

/** The same seed gives the same canary, so that a run can be repeated. */
const newCanary = (seed: number) =>
  `CANARY-${createHash('sha256').update(`canary ${seed}`).digest('hex').slice(0, 12).toUpperCase()}`;

async function findGoals(
  options: PlanOptions,
  scope: WorkspaceScope,
  entry: ManifestEntry,
  index: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (entry.goals) return entry.goals;
  if (entry.goals_dataset) return readGoals(options, scope, entry.goals_dataset, index, signal);
  const category = entry.goal_category ?? OWN_CATEGORY[entry.attack] ?? 'jailbreak_general';
  return GOAL_CATEGORIES.find(({ name }) => name === category)?.goals ?? [];
}

async function readGoals(
  { db, storage, local }: PlanOptions,
  scope: WorkspaceScope,
  dataset: NonNullable<ManifestEntry['goals_dataset']>,
  index: number,
  signal: AbortSignal,
): Promise<string[]> {
  const loc = ['body', 'attack_manifest', String(index), 'goals_dataset'];
  const found = await findSplit(db, scope, dataset, [...loc, 'split']).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue([...loc, 'name'], `${error.message} Publish it, or name another version.`);
  });
  const columns = found.columns.map(({ name }) => name);
  if (!columns.includes(dataset.column))
    throw invalidValue(
      [...loc, 'column'],
      `"${dataset.column}" is not a column; there are ${columns.join(', ')}`,
    );
  if (found.rowCount > MAX_FINDINGS)
    throw invalidValue(loc, `has ${found.rowCount} rows; an assessment has at most ${MAX_FINDINGS} findings`);
  const goals: string[] = [];
  try {
    for await (const page of readSplit({ db, storage, local }, found, scope.organizationId, signal))
      for (const row of page) {
        const value = row[dataset.column];
        const goal = typeof value === 'string' ? toStorableText(value).trim() : '';
        if (goal === '') continue;
        if (goal.length > MAX_GOAL_CHARACTERS)
          throw invalidValue(
            loc,
            `has a goal of ${goal.length} characters; at most ${MAX_GOAL_CHARACTERS} are taken`,
          );
        goals.push(goal);
      }
  } catch (error) {
    if (error instanceof BoundError) throw invalidValue(loc, `has a row that ${error.message}`);
    throw error;
  }
  if (goals.length === 0) throw invalidValue([...loc, 'column'], `"${dataset.column}" has no texts`);
  return goals;
}

type Models = Pick<StoredExecution, 'targetModel' | 'attackerModel' | 'judgeModel'>;

/** Simulated models attack and judge simulated targets by default. Any other target needs models that were chosen for it. */
async function findModels(
  { inference }: PlanOptions,
  { organizationId }: WorkspaceScope,
  request: PlannedRequest,
  target: TargetConfig,
  findings: readonly PlannedFinding[],
): Promise<Models> {
  const named = modelsOf(request);
  const targetModel = target.kind === 'http' ? null : (target.config.model ?? named.target_model);
  if (target.kind !== 'http' && targetModel === null)
    throw invalidValue(
      ['body', 'target_model'],
      'is missing: name the model that is attacked, and start again',
    );
  await requireModel(inference, organizationId, 'target_model', targetModel);
  const isSimulated = targetModel?.startsWith('sim/') ?? false;
  const needed = {
    attacker: findings.some(({ attack, request: { chains } }) => attack.usesAttacker || needsModel(chains)),
    judge: findings.some(({ attack, request: { canary } }) => canary === null || attack.name === 'tap'),
  };
  const choose = (role: 'attacker' | 'judge', given: string | null) => {
    if (!needed[role]) return given;
    if (given === null && !isSimulated)
      throw invalidValue(
        ['body', `${role}_model`],
        `is missing: ${role === 'judge' ? 'responses are judged by a model' : 'an attack of the manifest needs it'}, and only simulated targets have a default; set it with ${role === 'judge' ? 'judge_model' : 'attacker_model'} when the assessment is created`,
      );
    return given ?? SIMULATED[role];
  };
  const models = {
    targetModel,
    attackerModel: choose('attacker', named.attacker_model),
    judgeModel: choose('judge', named.judge_model),
  };
  if (needed.attacker) await requireModel(inference, organizationId, 'attacker_model', models.attackerModel);
  if (needed.judge) await requireModel(inference, organizationId, 'judge_model', models.judgeModel);
  return models;
}

const needsModel = (chains: readonly (readonly string[])[]) =>
  chains.some((chain) => chain.some((name) => findTransform(name)?.isModelBased));

async function requireModel(
  inference: Inference,
  organizationId: string,
  field: string,
  model: string | null,
): Promise<void> {
  if (model === null) return;
  try {
    await inference.getModel(organizationId, model);
  } catch (error) {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(['body', field], error.message);
  }
}

async function findTargetAgent(
  { db, storage }: PlanOptions,
  scope: WorkspaceScope,
  target: TargetConfig,
): Promise<StoredExecution['agent']> {
  if (target.kind !== 'agent') return null;
  if (!(await hasSandboxProvider(db)))
    throw invalidValue(
      ['body', 'target_config'],
      'No provider of sandboxes is available here, and agents work in sandboxes.',
    );
  const { capability, agent, task } = target.config;
  if (task) await findNamedTasks(db, scope, [task]);
  return findAgent({ db, storage }, scope, { agent: agent ?? null, capability });
}
