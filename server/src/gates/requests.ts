/** The requests with which a check runs its evaluations and assessments. */
import { EvaluationCreateRequest, type EvaluationRequest } from '../evaluations/service.ts';
import { type CheckRun, type StoredCheck, targetOf } from './stored-check.ts';

type Checked = Pick<StoredCheck, 'gate_name' | 'capability' | 'version' | 'model' | 'settings'>;

const MAX_NAME = 255;
const nameOf = (check: Checked, what: string) =>
  `Gate ${check.gate_name}: ${targetOf(check)}, ${what}`.slice(0, MAX_NAME);

export function toEvaluationRequest(
  check: Checked,
  { taskSet }: Extract<CheckRun, { kind: 'evaluation' }>,
  projectId: string,
): EvaluationRequest {
  const { capability, version, model, settings } = check;
  const { agent, repetitions, concurrency, budget_usd, seed } = settings;
  return EvaluationCreateRequest.parse({
    name: nameOf(check, taskSet),
    model,
    task_set: taskSet,
    ...(capability !== null && { capability: { name: capability, version } }),
    ...(agent && { agent }),
    ...(budget_usd && { budget_usd }),
    ...((seed ?? null) !== null && { seed }),
    repetitions,
    concurrency,
    project_id: projectId,
    tags: ['gate'],
  });
}

/** A capability is attacked as an agent in a sandbox, a model as it is. */
export function toAssessmentRequest(
  check: Checked,
  { manifest }: Extract<CheckRun, { kind: 'assessment' }>,
): Record<string, unknown> {
  const { capability, version, model, settings } = check;
  const { agent, attacker_model, judge_model, concurrency, budget_usd, seed } = settings;
  return {
    name: nameOf(check, 'attacks'),
    attack_manifest: manifest.map((entry) => ({
      ...entry,
      params: { ...paramsOf(entry), exhaustive: true },
    })),
    target_config:
      capability === null
        ? { kind: 'model', model }
        : { kind: 'agent', capability: { name: capability, version }, model, ...(agent && { agent }) },
    target_model: model,
    attacker_model,
    judge_model,
    attacker_config: { concurrency: Math.min(32, concurrency), budget_usd, seed },
  };
}

/** Every trial counts in a rate: an attack that ended at its first success would make it depend on the order of trials. */
const paramsOf = ({ params }: Readonly<Record<string, unknown>>) =>
  typeof params === 'object' && params !== null ? params : {};
